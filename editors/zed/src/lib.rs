//! Kiln for Zed: tells the editor which program is the language server. It is the one of the setting
//! `lsp.kiln.binary.path`, or else the `kiln` on the PATH of the project.

use zed_extension_api::{self as zed, settings::LspSettings, LanguageServerId, Result};

struct Kiln;

impl zed::Extension for Kiln {
    fn new() -> Self {
        Self
    }

    fn language_server_command(
        &mut self,
        server: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<zed::Command> {
        let set = LspSettings::for_worktree(server.as_ref(), worktree)
            .ok()
            .and_then(|settings| settings.binary)
            .and_then(|binary| binary.path);
        let command = set.or_else(|| worktree.which("kiln")).ok_or(
            "Kiln is not installed: there is no `kiln` on your PATH, and `lsp.kiln.binary.path` is not set.",
        )?;
        Ok(zed::Command {
            command,
            args: vec!["lsp".into()],
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Kiln);
