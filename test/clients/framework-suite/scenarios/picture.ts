import { equal } from 'node:assert/strict'
import type { AgentFormat } from '../../../support/agent/speech.ts'
import { fieldsOf, listOf } from '../../../support/judged.ts'
import type { FrameworkScenario } from '../framework-scenario.ts'

const system = 'You describe "pictures".'
const prompt = 'What is this?'
/** One pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const words = 'A single pixel.'

export const picture: FrameworkScenario = {
  name: 'picture',
  async run({ open, channelFormat }) {
    await using bench = await open(() => ({ text: words }))
    equal(await bench.client.askAboutPicture({ system, prompt, png }), words)
    const body: unknown = JSON.parse(bench.upstream.heard[0]?.request.body.toString() ?? '')
    const heard = listeners[channelFormat](body)
    equal(heard.system, system)
    equal(heard.picture, png)
  },
}

interface HeardPicture {
  readonly system: string
  readonly picture: unknown
}

const listeners: Readonly<Record<AgentFormat, (body: unknown) => HeardPicture>> = {
  chat(body) {
    const [first, second] = listOf(fieldsOf(body)['messages']).map(fieldsOf)
    const image = listOf(second?.['content'])
      .map(fieldsOf)
      .find(({ type }) => type === 'image_url')
    const url = String(fieldsOf(image?.['image_url'])['url'])
    return { system: textOf(first?.['content']), picture: url.replace('data:image/png;base64,', '') }
  },
  messages(body) {
    const [first] = listOf(fieldsOf(body)['messages']).map(fieldsOf)
    const image = listOf(first?.['content'])
      .map(fieldsOf)
      .find(({ type }) => type === 'image')
    const { media_type: mediaType, data } = fieldsOf(image?.['source'])
    return {
      system: textOf(fieldsOf(body)['system']),
      picture: mediaType === 'image/png' ? data : `of the type ${mediaType}`,
    }
  },
}

/** Words that are a string or parts of text. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map((part) => String(fieldsOf(part)['text']))
    .join('')
}
