import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

// The stream of standard input makes its pipe non-blocking. An import of the command line opens it.
const reader = `
const { stderr, stdin, stdout } = process
const { readTextFile } = await import(${JSON.stringify(join(import.meta.dirname, 'read-object.ts'))})
stderr.write('reads')
stdout.write(readTextFile('-'))
`

it('standard input is read to its end, also where the writer is later than the reader', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', reader])
  const output = text(child.stdout)
  await once(child.stderr, 'data')
  // The reader waits for at least as long as another process needs to start and end.
  await once(spawn(process.execPath, ['--version']), 'exit')
  child.stdin.write('groups:\n')
  child.stdin.end('  search: {}\n')
  expect(await output).toBe('groups:\n  search: {}\n')
})
