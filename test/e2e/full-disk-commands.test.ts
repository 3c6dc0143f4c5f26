import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { launcher } from '../support/program/launcher.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const demo = 'listen: 127.0.0.1:0\nchannels: [{ name: demo, provider: demo }]\n'

/** Runs a line of the shell, in which "$@" is the command of an operator. Answers with what it wrote. */
function runInShell(line: string, argv: readonly string[], folder: string) {
  return new Promise<{ readonly code: number; readonly errors: string }>((settle) => {
    execFile(
      'sh',
      ['-c', line, 'sh', process.execPath, launcher, ...argv],
      { cwd: folder },
      (error, _, errors) => settle({ code: Number(error?.code ?? 0), errors }),
    )
  })
}

it.skipIf(process.platform !== 'linux')(
  'a command whose output meets a full disk says so without a stack, and exits with 1',
  async () => {
    const folder = makeTemporaryFolder()
    const { code, errors } = await runInShell('exec "$@" > /dev/full', ['chaos', 'list'], folder)
    expect(errors).toMatch(
      /^headgate: the output of the command cannot be written \(ENOSPC: .*\); look whether the disk has room; a change that the command made stays, .* \[file_unwritable\]\n$/,
    )
    expect(code).toBe(1)
  },
)

it('init on a full disk leaves no empty configuration, which a server would read', async () => {
  const folder = makeTemporaryFolder()
  const { code, errors } = await runInShell('ulimit -f 0; exec "$@"', ['init'], folder)
  expect(errors).toContain('[file_unwritable]')
  expect(existsSync(join(folder, 'headgate.yaml'))).toBe(false)
  expect(code).toBe(1)
})

it('a first start on a full disk says in one line what to do', async () => {
  const folder = makeTemporaryFolder()
  writeFileSync(join(folder, 'headgate.yaml'), demo)
  const { code, errors } = await runInShell('ulimit -f 40; exec "$@"', ['serve'], folder)
  expect(errors).toMatch(
    /^headgate: \/.*headgate\.db: .*; look whether .* the disk has room \[database_unusable\]\n$/,
  )
  expect(code).toBe(1)
})
