/// How the page of operations looks.
enum DocumentationStyle {
    /// The style sheet.
    static let text = """
        :root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --back: #fff; --panel: #f4f6f8; --line: #d5dae0; \
        --link: #0550ae; --get: #0a5c36; --post: #0550ae; --put: #7a4b00; --delete: #a40e26; }
        @media (prefers-color-scheme: dark) { :root { --text: #e6e9ec; --soft: #a3adb8; --back: #14181d; --panel: #1e242b; \
        --line: #38414b; --link: #7cb7ff; --get: #63d297; --post: #7cb7ff; --put: #f0b35a; --delete: #ff8a94; } }
        * { box-sizing: border-box; }
        html { scroll-padding-top: 1rem; }
        body { margin: 0; color: var(--text); background: var(--back); font: 1rem/1.5 system-ui, sans-serif; }
        a { color: var(--link); }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        .skip { position: absolute; left: -100rem; }
        .skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--back); z-index: 1; }
        header { padding: 1.5rem 1.5rem .5rem; border-bottom: 1px solid var(--line); }
        header p { max-width: 75ch; }
        h1 { margin: 0 0 .5rem; font-size: 1.75rem; }
        h2 { margin: 2.5rem 0 1rem; font-size: 1.4rem; }
        h3 { margin: 0; font-size: 1.1rem; }
        h3 a { color: inherit; text-decoration: none; }
        h3 a:hover { text-decoration: underline; }
        h3 small { font-weight: normal; font-size: 1rem; color: var(--soft); }
        h4 { margin: 1rem 0 .25rem; font-size: .95rem; }
        .columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
        nav { border-right: 1px solid var(--line); padding: 1rem; }
        nav details { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow: auto; }
        nav ul { list-style: none; margin: 0; padding: 0; }
        nav ul ul { margin: 0 0 .6rem .75rem; }
        nav a { display: block; padding: .1rem 0; text-decoration: none; overflow-wrap: anywhere; }
        nav a:hover { text-decoration: underline; }
        nav .family { font-weight: 600; }
        main { padding: 0 1.5rem 4rem; max-width: 62rem; }
        article { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.25rem; margin: 0 0 1.25rem; }
        article:has(:target) { border-color: var(--link); }
        .route { margin: .25rem 0; overflow-wrap: anywhere; }
        .route b { font-family: ui-monospace, monospace; }
        .get { color: var(--get); } .post { color: var(--post); } .put, .patch { color: var(--put); } .delete { color: var(--delete); }
        code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
        code { overflow-wrap: anywhere; }
        pre { margin: 0; padding: .75rem; overflow: auto; background: var(--panel); border-radius: .25rem; }
        .table { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: .925rem; }
        th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); }
        thead th { color: var(--soft); font-weight: 600; }
        tbody th { font-weight: normal; }
        td code, th code { overflow-wrap: break-word; }
        summary { cursor: pointer; margin: .75rem 0 .25rem; font-weight: 600; font-size: .95rem; }
        details h4 { display: none; }
        @media (max-width: 48rem) { .columns { display: block; } nav { border-right: 0; border-bottom: 1px solid var(--line); } \
        nav details { position: static; max-height: none; } nav > details > ul { columns: 10rem; } \
        header, main { padding-left: 1rem; padding-right: 1rem; } article { padding: .75rem; } \
        table { font-size: .85rem; } th, td { padding-right: .5rem; } td code, th code { overflow-wrap: anywhere; } }
        @media print { nav, .skip { display: none; } .columns { display: block; } }
        """
}
