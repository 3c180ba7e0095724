-- Kiln for Neovim: the type of `*.kiln` files, the language server, and colours where the parser is built.

vim.filetype.add({ extension = { kiln = 'kiln' } })

local function server_of(folder)
  local own = folder .. '/node_modules/.bin/kiln'
  return vim.fn.executable(own) == 1 and own or 'kiln'
end

-- The program is all sources below the project's folder: where git begins, or else where the file lies.
local function folder_of(buffer)
  local file = vim.api.nvim_buf_get_name(buffer)
  local marker = vim.fs.find({ '.git', 'package.json' }, { upward = true, path = vim.fs.dirname(file) })[1]
  return marker and vim.fs.dirname(marker) or vim.fs.dirname(file)
end

local function start_server(buffer)
  local folder = folder_of(buffer)
  local server = server_of(folder)
  if vim.fn.executable(server) == 1 then
    vim.lsp.start({ name = 'kiln', cmd = { server, 'lsp' }, root_dir = folder })
  else
    vim.notify_once('Kiln is not installed: `kiln` is neither in node_modules/.bin nor on your PATH.', vim.log.levels.WARN)
  end
end

local has_parser = #vim.api.nvim_get_runtime_file('parser/kiln.so', false) > 0

vim.api.nvim_create_autocmd('FileType', {
  pattern = 'kiln',
  callback = function(event)
    vim.bo[event.buf].commentstring = '// %s'
    vim.bo[event.buf].expandtab = true
    vim.bo[event.buf].shiftwidth = 2
    if has_parser then vim.treesitter.start(event.buf, 'kiln') end
    start_server(event.buf)
  end,
})
