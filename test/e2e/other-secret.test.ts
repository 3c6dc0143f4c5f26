import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Environment, readEnvironment } from '../../src/config/source/environment.ts'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream, type ScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { needsOneFolder } from '../support/topology/needs.ts'

const yaml = 'admin: { allow_private: true }\nchannels: [{ name: demo, provider: demo }]\n'
const first = 'the-first-secret-of-this-installation'
const second = 'the-second-secret-of-this-installation'

async function openScene() {
  const upstream = await openScriptedUpstream(sseAnswer([sampleStreams.chat.bytes]))
  const folder = makeTemporaryFolder()
  return {
    upstream,
    data: join(folder, 'data'),
    start: (environment: Partial<Environment> = {}) => startGateway(yaml, folder, environment),
    [Symbol.asyncDispose]: () => upstream.close(),
  }
}

type Scene = Awaited<ReturnType<typeof openScene>>

/** Two versions with sealed keys. */
async function keepKeys({ start, upstream }: Scene, environment: Partial<Environment> = {}): Promise<void> {
  await using gateway = await start(environment)
  const admin = createAskAdmin(gateway.url)
  const channel = {
    name: 'made',
    provider: 'openai-compatible',
    base_url: `${upstream.origin}/v1`,
    models: ['m'],
    allow_private: true,
  }
  await admin('POST', '/channels', { body: { ...channel, api_key: 'sk-kept-one-0123456789' } })
  await admin('PATCH', '/channels/made', { body: { api_key: 'sk-kept-two-0123456789' } })
}

/** The key that the upstream gets, now and after an undo: both versions open. */
async function keysOf({ start, upstream }: Scene, environment: Partial<Environment> = {}) {
  await using gateway = await start(environment)
  await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  const seen = keyOf(upstream)
  await createAskAdmin(gateway.url)('POST', '/config/undo')
  await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  return [seen, keyOf(upstream)]
}

const keyOf = ({ requests }: ScriptedUpstream) => requests.at(-1)?.headers.authorization
const both = ['Bearer sk-kept-two-0123456789', 'Bearer sk-kept-one-0123456789']

it('a start with the previous secret reseals everything, and the next needs the new one alone', async () => {
  await using scene = await openScene()
  await keepKeys(scene, { secret: first })
  await (await scene.start({ secret: second, previousSecret: first }))[Symbol.asyncDispose]()
  expect(await keysOf(scene, { secret: second })).toEqual(both)
})

it('a previous secret with the line break of its file is the one without it, as the secret itself is', async () => {
  await using scene = await openScene()
  const variables = { HEADGATE_SECRET: `${first}\n` }
  const { secret } = readEnvironment(variables)
  await keepKeys(scene, { secret })
  const { previousSecret } = readEnvironment({ HEADGATE_SECRET_PREVIOUS: variables.HEADGATE_SECRET })
  await (await scene.start({ secret: second, previousSecret }))[Symbol.asyncDispose]()
  expect(await keysOf(scene, { secret: second })).toEqual(both)
})

it('after such a start the previous secret opens nothing', async () => {
  await using scene = await openScene()
  await keepKeys(scene, { secret: first })
  await (await scene.start({ secret: second, previousSecret: first }))[Symbol.asyncDispose]()
  await using gateway = await scene.start({ secret: first })
  expect((await createAskAdmin(gateway.url)('GET', '/config')).body).toMatchObject({ version: 2, serving: 0 })
})

it('without the previous secret nothing changes, so that it can still be given later', async () => {
  needsOneFolder('a node ends that has another secret than the database')
  await using scene = await openScene()
  await keepKeys(scene, { secret: first })
  await (await scene.start({ secret: second }))[Symbol.asyncDispose]()
  expect(await keysOf(scene, { secret: first })).toEqual(both)
})

it('a start with a wrong secret loses no stored response: the right one reads it again', async () => {
  needsOneFolder('a node ends that has another secret than the database')
  await using scene = await openScene()
  const call = async (secret: string, path: string, body?: unknown) => {
    await using gateway = await scene.start({ secret })
    const answer = await fetch(`${gateway.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, id: /"id":\s*"(resp_[^"]+)"/.exec(await answer.text())?.[1] }
  }
  const made = await call(first, '/v1/responses', { model: 'demo-chat', input: 'Hello' })
  const path = `/v1/responses/${made.id}`
  expect((await call(second, path)).status).toBe(404)
  expect(await call(first, path)).toEqual({ status: 200, id: made.id })
})

it('a file that was moved aside is used as the previous secret, and is deleted once everything is resealed', async () => {
  needsOneFolder('nodes have their secret in the environment')
  await using scene = await openScene()
  await keepKeys(scene)
  const [file, moved] = [join(scene.data, 'secret'), join(scene.data, 'secret.previous')]
  renameSync(file, moved)
  await (await scene.start())[Symbol.asyncDispose]()
  expect([existsSync(file), existsSync(moved)]).toEqual([true, false])
  expect(await keysOf(scene)).toEqual(both)
})

it("a first start with a secret of the environment reads the data that the file's secret sealed", async () => {
  needsOneFolder('nodes have their secret in the environment')
  await using scene = await openScene()
  await keepKeys(scene)
  expect(await keysOf(scene, { secret: first })).toEqual(both)
})
