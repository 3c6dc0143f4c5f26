// Bundles src/ and tools/ to dist/, for the npm package and the container image, and builds the console beside them. A
// clone runs from source, and `npm start` builds the console where it is missing.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
rmSync(dist, { recursive: true, force: true })
await bundle(dist)
execFileSync(process.execPath, [join(root, 'scripts/build-console.ts')], { cwd: root, stdio: 'inherit' })
