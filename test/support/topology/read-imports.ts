import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The files that a file of tests imports by a path, and those that they import, without the product's. */
export function readImports(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file) || file.includes('/src/')) return found
  found.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export|\}) .*from '(\.[^']+\.ts)'/gm)
  for (const [, path = ''] of imports) readImports(resolve(dirname(file), path), found)
  return found
}
