import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runHeadgate } from '../support/run-headgate.ts'
import { startProcess } from '../support/start-process.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'
const LIMIT_MS = 60_000

it.each([
  ['one process', demo],
  ['a worker', `${demo}workers: 1\n`],
])(
  '%s that starts on the folder of a node warns once, and commands use the folder again',
  {
    timeout: LIMIT_MS,
  },
  async (_name, yaml) => {
    const folder = makeTemporaryFolder()
    const data = join(folder, 'data')
    mkdirSync(data)
    writeFileSync(join(data, 'database'), 'models at db:5432\n')
    await using server = await startProcess(yaml, {}, { folder, startsWithinMs: LIMIT_MS })
    expect(server.errors()).toContain(
      `the last start used the database models at db:5432, and this one uses the data folder ${data}`,
    )
    expect(existsSync(join(data, 'database'))).toBe(false)
    expect(await runHeadgate(['backup', 'copy.tar'], { folder })).toMatchObject({ code: 0, errors: '' })
  },
)
