import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDataFolder } from '../../src/app/open-data-folder.ts'
import { provesItself } from '../../src/cli/remote/call-server.ts'
import { systemRandom } from '../../src/kit/random/random.ts'
import { systemClock } from '../../src/kit/time/clock.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { startProcess } from '../support/start-process.ts'

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
}, 120_000)

afterAll(() => server?.[Symbol.asyncDispose]())

it('every process of a node proves that it is the server of the folder, whichever wrote that down', async () => {
  const environment = {
    HEADGATE_SECRET: 'node-secret-0123456789abcdef',
    HEADGATE_DATABASE_URL: `postgres://headgate@127.0.0.1:${server.port}/postgres`,
  }
  const yaml = 'workers: 2\nchannels: [{ name: demo, provider: demo }]\n'
  await using node = await startProcess(yaml, {}, { environment, startsWithinMs: 120_000 })
  const data = openDataFolder(join(node.folder, 'data'), { clock: systemClock, random: systemRandom })
  const { adminUrl = '', certificate, signingKey } = data.server.read() ?? {}
  const proofs: boolean[] = []
  for (let call = 0; call < 6; call += 1)
    proofs.push(await provesItself({ adminUrl, certificate, signingKey }, `nonce-${call}`))
  expect(proofs).toEqual(proofs.map(() => true))
}, 120_000)
