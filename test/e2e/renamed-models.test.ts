import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { channelYaml } from '../support/channel-yaml.ts'
import { responseOf } from '../support/keeper.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

it('a background response is polled at its provider although its model has another upstream model now', async () => {
  const working = responseOf('resp_one', { status: 'queued', output: [], background: true })
  const done = responseOf('resp_one', { background: true })
  await using upstream = await openScriptedUpstream(({ method }) =>
    jsonAnswer(method === 'POST' ? working : done),
  )
  const folder = makeTemporaryFolder()
  const yamlOf = (models: Readonly<Record<string, string>>) =>
    channelYaml({ format: 'responses', origin: upstream.origin, models })
  const clientOf = ({ url }: { readonly url: string }) =>
    new OpenAI({ baseURL: `${url}/v1`, maxRetries: 0, apiKey: testKey })
  const before = await startGateway(yamlOf({ m: 'first' }), folder)
  const { id } = await clientOf(before).responses.create({ model: 'm', input: 'Hi', background: true })
  await before[Symbol.asyncDispose]()
  await using after = await startGateway(yamlOf({ m: 'second' }), folder)
  expect(await clientOf(after).responses.retrieve(id)).toMatchObject({ id, status: 'completed' })
})
