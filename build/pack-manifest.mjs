// npm pack: the manifest of the package names no dependencies, since `dist` contains them. `prepack` writes it, `postpack`
// restores the original, `prepublishOnly` refuses to publish the folder. The repository's manifest names them, for readers,
// licence scanners and `npm audit --omit dev`. Without a bundle, five hundred files would take half of the start.

import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const HOME = 'node_modules/.cache/understudy'
const KEPT = `${HOME}/manifest.kept.json`

if (process.argv[2] === 'refuse') {
  // npm publishes the manifest of the folder, which lists the dependencies.
  console.error('publish the tarball, not the folder: npm pack && npm publish ./understudy-gateway-*.tgz')
  process.exitCode = 1
} else if (process.argv[2] === 'restore') {
  if (existsSync(KEPT)) renameSync(KEPT, 'package.json')
} else {
  mkdirSync(HOME, { recursive: true })
  const { dependencies, devDependencies, scripts, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'))
  // The registry compares the repository of a signed package with the one whose workflow published it.
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env
  const address = `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`
  if (GITHUB_REPOSITORY !== undefined) manifest.repository = { type: 'git', url: address }
  // After an interrupted run the folder has the written manifest, and the original is kept already.
  if (dependencies !== undefined) copyFileSync('package.json', KEPT)
  writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
}
