# Castway's commands. `make run` and `make test` work on a fresh Debian 12 with Swift 6.3 and git.

CONFIG ?= gateway.yaml
# `swift build` with Castway's flags; every build goes through it, so that they share .build.
BUILD := Scripts/build.sh
# The build that tests see the inside of, for all that is checked before a change lands.
TESTED := .build/tests/release

.PHONY: api-cases chromium exchange knowledge features help run python build release plugins install install-units unit test test-debug oracle chaos sanitize example fuzz soak fault-matrix bridge-kills bench bench-hostile instructions lint format bootstrap docs clean

# Where `make install` puts things; DESTDIR is put before it, for packages.
PREFIX ?= /usr/local
UNIT_DIR ?= $(PREFIX)/lib/systemd/system
SYSUSERS_DIR ?= $(PREFIX)/lib/sysusers.d

help: ## Says what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-14s %s\n", $$1, $$2 }'

python: ## Puts pychromecast into .venv, for senders in Python
	@Scripts/bootstrap.sh --python

run: bootstrap ## Builds the gateway and starts it with gateway.yaml (CONFIG=other.yaml for another file)
	@echo "Building Castway. The first build takes some minutes, since its dependencies are built too."
	@$(MAKE) --no-print-directory build
	@echo "Starting Castway with $(CONFIG). Ctrl-C stops it."
	@exec .build/debug/castway run --config $(CONFIG)

build: bootstrap ## Builds the gateway, as make run does
	@$(BUILD) --product castway
	@$(BUILD) --product castway-launch

release: bootstrap ## Builds the optimised gateway
	$(BUILD) -c release --product castway
	$(BUILD) -c release --product castway-launch
	@echo "Built: $$(swift build -c release --show-bin-path)/castway"

plugins: bootstrap ## Builds the plugins that ship and are written in Swift, into their folders below Plugins
	for plugin in quiz watch-party; do $(BUILD) -c release --product $$plugin || exit 1; done
	for library in QuizModule WatchPartyModule; do $(BUILD) -c release --product $$library || exit 1; done
	products="$$(swift build -c release --show-bin-path)" && \
		install -D -m 755 "$$products/quiz" Plugins/quiz/bin/quiz && \
		install -D -m 755 "$$products/libQuizModule.so" Plugins/quiz/lib/quiz.so && \
		install -D -m 755 "$$products/watch-party" Plugins/watch-party/bin/watch-party && \
		install -D -m 755 "$$products/libWatchPartyModule.so" Plugins/watch-party/lib/watch-party.so

install: release ## Installs the optimised gateway, its documentation, completions and systemd unit (DESTDIR=, PREFIX=/usr/local)
	@Scripts/bootstrap.sh --install
	install -D -m 755 "$$(swift build -c release --show-bin-path)/castway" "$(DESTDIR)$(PREFIX)/bin/castway"
	install -D -m 755 "$$(swift build -c release --show-bin-path)/castway-launch" \
		"$(DESTDIR)$(PREFIX)/lib/castway/castway-launch"
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/lib/castway/python" Plugins/python/castway.py Plugins/python/castway_media.py
	Scripts/install-docs.sh "$(DESTDIR)$(PREFIX)/share/doc/castway" "$$(swift build -c release --show-bin-path)/castway"
	Scripts/manual.sh "$$(swift build -c release --show-bin-path)/castway" "$(DESTDIR)$(PREFIX)/share"
	install -D -m 644 Scripts/sysctl.d/castway.conf "$(DESTDIR)$(PREFIX)/lib/sysctl.d/60-castway.conf"
	@$(MAKE) --no-print-directory install-units
	@echo "Installed. What comes next: Docs/systemd.md"

install-units: # The units and the user that castway.service runs as
	install -d -m 755 "$(DESTDIR)$(UNIT_DIR)" "$(DESTDIR)$(SYSUSERS_DIR)"
	for unit in castway.service castway-mirroring.service castway-mirroring.socket; do \
		sed 's,@PREFIX@,$(PREFIX),g' "Scripts/systemd/$$unit" > "$(DESTDIR)$(UNIT_DIR)/$$unit"; \
	done
	chmod 644 "$(DESTDIR)$(UNIT_DIR)"/castway.service "$(DESTDIR)$(UNIT_DIR)"/castway-mirroring.*
	install -m 644 Scripts/systemd/castway.sysusers "$(DESTDIR)$(SYSUSERS_DIR)/castway.conf"
	@if [ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ! command -v systemd-sysusers >/dev/null; then \
		echo "The user castway is made by: systemd-sysusers $(SYSUSERS_DIR)/castway.conf"; \
	else \
		systemd-sysusers "$(SYSUSERS_DIR)/castway.conf"; \
	fi

test: ## Runs all tests, against an unmodified pychromecast too (SHARDS='chaos-1 lab' some)
	@Scripts/bootstrap.sh --tests
	@echo "Building Castway and its tests, then running them."
	@$(BUILD) --tested --build-tests
	@Scripts/test.py $(SHARDS)

test-debug: ## Runs all tests in a debug build, with the assertions of the dependencies (SHARDS= some)
	@Scripts/bootstrap.sh --tests
	@$(BUILD) --build-tests
	@Scripts/test.py --debug $(SHARDS)

oracle: checks ## Compares the codec with SwiftProtobuf's (WRITE=1 writes the vectors of CastWireTests anew)
	CASTWAY_ORACLE=1 $(BUILD) --product castwayPackageTests --scratch-path .build/oracle
	$(if $(WRITE),CASTWAY_WRITE_VECTORS=1) .build/oracle/debug/castwayPackageTests.xctest --testing-library swift-testing --filter Oracle

chaos: ## Runs the plugins that misbehave alone; make test runs them too
	@$(MAKE) --no-print-directory test SHARDS='chaos-1 chaos-2'

sanitize: checks ## Runs the suites that start no gateway under the thread sanitizer (FILTER= others)
	@Scripts/sanitize.sh $(if $(FILTER),'$(FILTER)')

chromium: ## Lets an unmodified Chromium find, use and mirror to devices in another network (as root)
	@Scripts/bootstrap.sh --chromium
	$(BUILD) --product castway
	.venv/bin/python3 Tests/InteropTests/Chromium/late.py --binary .build/debug/castway
	.venv/bin/python3 Tests/InteropTests/Chromium/mirroring.py --binary .build/debug/castway
	.venv/bin/python3 Tests/InteropTests/Chromium/passthrough.py --binary .build/debug/castway

exchange: ## Has two devices exchange their addresses COUNT=100 times while commands run; none reaches the other
	$(BUILD) --product castway
	Tests/InteropTests/Drivers/exchanging.py --binary .build/debug/castway --count $(or $(COUNT),100)

unit: ## Starts the systemd unit in a Debian 12 of its own, with systemd, D-Bus and Avahi (as root)
	@Scripts/bootstrap.sh --unit
	$(BUILD) --product castway
	$(BUILD) --product castway-launch
	Scripts/try-unit.sh "$$(swift build --show-bin-path)"

knowledge: ## Lets Home Assistant's libraries follow twenty devices through apps, cuts and restarts, and an idle one for 90 minutes (as root)
	@Scripts/bootstrap.sh --bench
	@$(BUILD) --product castway
	CASTWAY_BINARY="$$(swift build --show-bin-path)/castway" .venv/bin/python Tests/DiscoveryLabTests/Drivers/knowing.py many
	CASTWAY_BINARY="$$(swift build --show-bin-path)/castway" .venv/bin/python Tests/DiscoveryLabTests/Drivers/knowing.py idle

example: ## Builds and tests the package on top of Castway in Docs/examples, and casts with it
	@Scripts/example.sh

fuzz: bootstrap ## Fuzzes each target for SECONDS=300, or one (TARGET=json)
	@Scripts/fuzz.sh $(or $(SECONDS),300) $(TARGET)

bench: ## Measures a release build beside nginx and HAProxy (QUICK=1 in short, ONLY=relay a part)
	@Scripts/bootstrap.sh --bench
	Benchmarks/run.py $(if $(QUICK),--quick) $(ONLY)

api-cases: ## Tries the API with made-up requests for SECONDS=600 (EXAMPLES=200 each, SEED=1)
	@Scripts/bootstrap.sh --tests
	@$(BUILD) --product castway
	@$(BUILD) --product castway-launch
	.venv/bin/python Tests/InteropTests/Drivers/schemathesis_run.py "$$(swift build --show-bin-path)/castway" \
		--seconds $(or $(SECONDS),600) --examples $(or $(EXAMPLES),200) --seed $(or $(SEED),1)

features: ## Shows which features of the Cast SDKs work, and writes Docs/features.tsv (ONLY='flow 297' some)
	@Scripts/bootstrap.sh --tests
	@$(BUILD) --product castway
	@$(BUILD) --product castway-launch
	.venv/bin/python Tests/SDKFeatures/run.py --binary "$$(swift build --show-bin-path)/castway" \
		$(if $(ONLY),--only $(ONLY),--table Docs/features.tsv)

MINUTES ?= 30
SEED ?=
soak: ## Lets senders and faults loose on the optimised gateway (MINUTES=30, SEED= repeats a plan)
	@Scripts/bootstrap.sh --tests
	$(BUILD) -c release --product castway
	@exec python3 Benchmarks/soak/soak.py --minutes $(MINUTES) --seed '$(SEED)' \
		--binary "$$(swift build -c release --show-bin-path)/castway"

CASES ?=
fault-matrix: ## Measures recovery from faults in network namespaces with real Avahi, as root (CASES=link-5,frozen some)
	@Scripts/bootstrap.sh --bench
	$(BUILD) -c release --product castway
	@exec python3 Benchmarks/faults/run.py --only '$(CASES)' \
		--binary "$$(swift build -c release --show-bin-path)/castway"

bridge-kills: ## Kills gateway, broker and back end of bridges in every order, and writes Docs/bridge-kills.md (ONLY= some cases)
	@Scripts/bootstrap.sh --tests
	$(BUILD) -c release --product castway
	@exec .venv/bin/python Benchmarks/bridgekills/run.py --only '$(ONLY)' $(if $(ONLY),,--page Docs/bridge-kills.md) \
		--binary "$$(swift build -c release --show-bin-path)/castway"

instructions: checks ## Counts the instructions of a relayed message, and fails when they are more than on record
	@$(BUILD) --tested --product castway
	Benchmarks/instructions/run.py $(TESTED)

bench-hostile: checks release ## Measures what hostile senders cost their neighbours
	python3 Benchmarks/hostile/run.py "$$(swift build -c release --show-bin-path)/castway"
	python3 Benchmarks/hostile/setup_flood.py "$$(swift build -c release --show-bin-path)/castway"

.PHONY: budget
budget: checks release ## Lets everything happen at once that peers can do to the gateway's memory, in 512 MiB (SECONDS=60)
	@Scripts/bootstrap.sh --tests
	python3 Benchmarks/hostile/budget.py --seconds $(or $(SECONDS),60) --binary "$$(swift build -c release --show-bin-path)/castway"

lint: checks ## Checks format and house rules
	swift format lint -s -r -p Package.swift Sources Tests Plugins Benchmarks/Codec
	Scripts/lint.sh
	Scripts/check-unit.sh

format: ## Formats the sources
	swift format -i -r -p Package.swift Sources Tests Plugins Benchmarks/Codec

docs: ## Writes the references, the OpenAPI and AsyncAPI documents and the Python client's operations anew
	@$(BUILD) --product castway
	"$$(swift build --show-bin-path)/castway" config reference > Docs/gateway-yaml.md
	"$$(swift build --show-bin-path)/castway" plugin reference > Docs/plugin-yaml.md
	"$$(swift build --show-bin-path)/castway" call --reference > Docs/operations-reference.md
	"$$(swift build --show-bin-path)/castway" config reference --metrics > Docs/metrics.md
	"$$(swift build --show-bin-path)/castway" config reference --limits > Docs/limits.md
	"$$(swift build --show-bin-path)/castway" call --event-reference > Docs/events-reference.md
	"$$(swift build --show-bin-path)/castway" call --error-reference > Docs/errors.md
	"$$(swift build --show-bin-path)/castway" call --openapi > Docs/openapi.json
	"$$(swift build --show-bin-path)/castway" call --asyncapi > Docs/asyncapi.json
	Clients/python/generate.py < Docs/openapi.json > Clients/python/castway/operations.py

bootstrap: ## Installs what is missing to build and run
	@Scripts/bootstrap.sh

.PHONY: checks
checks: bootstrap
	@Scripts/bootstrap.sh --checks

clean: ## Removes what was built
	swift package clean
