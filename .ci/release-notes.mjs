// Prints the section of CHANGELOG.md that belongs to a tag. Fails if there is none, or the package has another version.

import { readFileSync } from 'node:fs'

const tag = process.argv[2] ?? ''
const version = tag.replace(/^v/, '')
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const [, ...sections] = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m)
const section = sections.find(text => text.startsWith(`[${version}]`))

if (manifest.version !== version) {
  console.error(`the tag is ${tag}, and package.json has the version ${manifest.version}`)
  process.exitCode = 1
} else if (section === undefined) {
  console.error(`CHANGELOG.md has no section [${version}]`)
  process.exitCode = 1
} else {
  // The heading is the title of the release.
  console.log(section.slice(section.indexOf('\n')).trim())
}
