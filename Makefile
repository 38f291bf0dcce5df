# Castway's commands. `make run` and `make test` work on a fresh Debian 12 with Swift 6.3 and git.

CONFIG ?= gateway.yaml
# Modules may import only what Package.swift declares for them, so the layers hold.
SWIFT_FLAGS := --explicit-target-dependency-import-check error

.PHONY: help run build release test fuzz lint format bootstrap docs clean

help: ## Says what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-10s %s\n", $$1, $$2 }'

run: bootstrap ## Builds the gateway and starts it with gateway.yaml (CONFIG=other.yaml for another file)
	@echo "Building Castway. The first build takes some minutes, since its dependencies are built too."
	@swift build $(SWIFT_FLAGS) --product castway
	@echo "Starting Castway with $(CONFIG). Ctrl-C stops it."
	@exec .build/debug/castway run --config $(CONFIG)

build: bootstrap ## Builds everything, tests too
	swift build $(SWIFT_FLAGS) --build-tests

release: bootstrap ## Builds the optimised gateway
	swift build $(SWIFT_FLAGS) -c release --product castway
	@echo "Built: $$(swift build -c release --show-bin-path)/castway"

test: ## Runs all tests, against an unmodified pychromecast too
	@Scripts/bootstrap.sh --tests
	@echo "Building Castway and its tests, then running them."
	swift build $(SWIFT_FLAGS) --build-tests
	swift test --skip-build --no-parallel

fuzz: bootstrap ## Fuzzes each target for SECONDS=300, or one (TARGET=json)
	@Scripts/fuzz.sh $(or $(SECONDS),300) $(TARGET)

lint: bootstrap ## Checks format and house rules
	swift format lint -s -r -p Package.swift Sources Tests
	Scripts/lint.sh

format: ## Formats the sources
	swift format -i -r -p Package.swift Sources Tests

docs: ## Writes the reference of gateway.yaml anew
	@swift build $(SWIFT_FLAGS) --product castway
	"$$(swift build --show-bin-path)/castway" config reference > Docs/gateway-yaml.md

bootstrap: ## Installs what is missing
	@Scripts/bootstrap.sh

clean: ## Removes what was built
	swift package clean
