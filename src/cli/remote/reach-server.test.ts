import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openDataFolder } from '../../app/open-data-folder.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { systemClock } from '../../kit/time/clock.ts'
import { reachServer } from './reach-server.ts'

const surroundings = { clock: systemClock, random: systemRandom }
const token = 'admin-token-0123456789abcdef'

/** Listens where a server did that was killed, and notes all that it is sent. */
async function openImpostor(answer: (request: IncomingMessage) => string) {
  const heads: string[] = []
  const server = createServer((request, response) => {
    heads.push(`${request.url} ${request.rawHeaders.join(' ')}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer(request))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return { heads, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}` }
}

function nonceOf({ url = '' }: IncomingMessage): string {
  return new URL(url, 'http://localhost').searchParams.get('nonce') ?? ''
}

/** Reaches the server as a command does; tells whether it took what listens there for the server. */
async function reach(folder: string) {
  const warnings: string[] = []
  const reached = await reachServer({
    data: openDataFolder(folder, surroundings),
    givenToken: token,
    warn: (line) => warnings.push(line),
    ask: (call) => call({ method: 'GET', path: '/keys' }, { safeParse: (data) => ({ success: true, data }) }),
  })
  return { reached, warnings }
}

const other = openDataFolder('.', surroundings).server

it.each([
  ['something else', () => '{"data":[]}'],
  ['no JSON', () => 'hello'],
  ['the nonce', (request: IncomingMessage) => JSON.stringify({ proof: nonceOf(request) })],
  [
    'the proof of another server',
    (request: IncomingMessage) => JSON.stringify({ proof: other.prove(nonceOf(request)) }),
  ],
])(
  'sends no token to another process on the port of a killed server if it answers %s',
  async (_words, answer) => {
    const folder = makeTemporaryFolder()
    const { heads, url } = await openImpostor(answer)
    openDataFolder(folder, surroundings).server.write({ pid: 1, url, adminUrl: url })
    const { reached, warnings } = await reach(folder)
    expect(reached).toBeUndefined()
    expect(warnings).toEqual([expect.stringContaining(`what listens at ${url} is not the server`)])
    expect(heads).toHaveLength(1)
    expect(heads.join()).not.toContain(token)
  },
)

it('sends the token to the server that wrote the file', async () => {
  const folder = makeTemporaryFolder()
  const { server } = openDataFolder(folder, surroundings)
  const { heads, url } = await openImpostor((request) =>
    JSON.stringify({ proof: server.prove(nonceOf(request)) }),
  )
  server.write({ pid: 1, url, adminUrl: url })
  const { reached, warnings } = await reach(folder)
  expect(reached).toBeDefined()
  expect(warnings).toEqual([])
  expect(heads[1]).toContain(token)
})

it('requests a proof with a new nonce each time', async () => {
  const folder = makeTemporaryFolder()
  const { heads, url } = await openImpostor(() => '{}')
  openDataFolder(folder, surroundings).server.write({ pid: 1, url, adminUrl: url })
  await reach(folder)
  await reach(folder)
  expect(new Set(heads).size).toBe(2)
})

it('trusts no server if the file has no proof key', async () => {
  const folder = makeTemporaryFolder()
  const { heads, url } = await openImpostor(() => '{"proof":""}')
  openDataFolder(folder, surroundings).server.write({ pid: 1, url, adminUrl: url })
  writeFileSync(`${folder}/server.json`, JSON.stringify({ pid: 1, url, adminUrl: url }))
  expect((await reach(folder)).reached).toBeUndefined()
  expect(heads.join()).not.toContain(token)
})
