import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { startProcess } from '../support/start-process.ts'

it.skipIf(process.platform !== 'linux')(
  'the launcher gives the server its options without a second process',
  async () => {
    await using gateway = await startProcess('channels: [{ name: demo, provider: demo }]')
    const words = readFileSync(`/proc/${gateway.child.pid}/cmdline`, 'utf8').split('\0')
    expect(words.slice(1, 8)).toEqual([
      '--max-semi-space-size=8',
      '--no-parallel-scavenge',
      '--use-largepages=silent',
      '--no-memory-reducer-favors-memory',
      '--max-inlined-bytecode-size=4000',
      '--max-inlined-bytecode-size-cumulative=10000',
      '--max-inlined-bytecode-size-absolute=20000',
    ])
    expect(words.filter((word) => word.includes('semi'))).toHaveLength(1)
    const { pid } = JSON.parse(readFileSync(`${gateway.folder}/data/server.json`, 'utf8'))
    expect(pid).toBe(gateway.child.pid)
  },
)

it('a command that there is not is told as one, and starts no server', () => {
  const { status, stderr } = spawnSync(process.execPath, ['bin/headgate.js', 'chek'], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain('there is no command "chek"')
})
