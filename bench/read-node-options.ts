import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** The options with which a checkout starts its gateway. */
export function readNodeOptions(clone: string): readonly string[] {
  const text = readFileSync(join(clone, 'bin/node-options.json'), 'utf8')
  return z.array(z.string()).parse(JSON.parse(text))
}
