// Compiles src/ and tools/ to dist/, each below its own name, and builds the console beside them, for the npm package
// and the container image. A clone runs from source, and `npm start` builds the console where it is missing.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
rmSync(join(root, 'dist'), { recursive: true, force: true })
const run = (...words: readonly string[]) =>
  execFileSync(process.execPath, words, { cwd: root, stdio: 'inherit' })
run(join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json')
run(join(root, 'scripts/build-console.ts'))
