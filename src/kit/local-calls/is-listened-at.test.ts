import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { isListenedAt } from './is-listened-at.ts'

it('a socket has a listener while its process lives', async () => {
  const path = join(makeTemporaryFolder(), 'a.sock')
  const server = createServer().listen(path)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  expect(await isListenedAt(path)).toBe(true)
})

it('a socket file left by a killed process has no listener', async () => {
  const path = join(makeTemporaryFolder(), 'a.sock')
  const program = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', program])
  expect([existsSync(path), await isListenedAt(path)]).toEqual([true, false])
})
