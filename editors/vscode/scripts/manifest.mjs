/** The two files that make a zip archive a VSIX: what the extension is, and which type each of its files has. */

const TYPES = {
  json: 'application/json',
  cjs: 'application/octet-stream',
  md: 'text/markdown',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  vsixmanifest: 'text/xml',
};

export function contentTypes() {
  const lines = Object.entries(TYPES).map(
    ([ending, type]) => `<Default Extension=".${ending}" ContentType="${type}"/>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${lines.join('')}</Types>
`;
}

export function vsixManifest(extension) {
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${escaped(extension.name)}" Version="${extension.version}" Publisher="${escaped(extension.publisher)}"/>
    <DisplayName>${escaped(extension.displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(extension.description)}</Description>
    <Tags>${escaped([...extension.keywords, '__ext_kiln'].join(','))}</Tags>
    <Categories>${escaped(extension.categories.join(','))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
${properties(extension)}
    </Properties>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/${extension.icon}</Icon>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
${assets(extension)}
  </Assets>
</PackageManifest>
`;
}

function properties({ engines, extensionKind }) {
  const values = {
    'Microsoft.VisualStudio.Code.Engine': engines.vscode,
    'Microsoft.VisualStudio.Code.ExtensionKind': extensionKind.join(','),
    'Microsoft.VisualStudio.Code.ExecutesCode': 'true',
    'Microsoft.VisualStudio.Services.GitHubFlavoredMarkdown': 'true',
    'Microsoft.VisualStudio.Services.Content.Pricing': 'Free',
  };
  return Object.entries(values)
    .map(([id, value]) => `      <Property Id="${id}" Value="${escaped(value)}"/>`)
    .join('\n');
}

function assets({ icon }) {
  const paths = {
    'Microsoft.VisualStudio.Code.Manifest': 'package.json',
    'Microsoft.VisualStudio.Services.Content.Details': 'README.md',
    'Microsoft.VisualStudio.Services.Content.Changelog': 'CHANGELOG.md',
    'Microsoft.VisualStudio.Services.Content.License': 'LICENSE.txt',
    'Microsoft.VisualStudio.Services.Icons.Default': icon,
  };
  return Object.entries(paths)
    .map(([type, path]) => `    <Asset Type="${type}" Path="extension/${path}" Addressable="true"/>`)
    .join('\n');
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
