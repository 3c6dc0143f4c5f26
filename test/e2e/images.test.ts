import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI, { toFile } from 'openai'
import { describe, expect, it, test } from 'vitest'
import { fieldsOf } from '../support/judged.ts'
import { openMediaGateway } from '../support/media/open-media-gateway.ts'
import { readFormParts } from '../support/media/read-form-parts.ts'
import { jsonAnswer, type ScriptedAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

/** Rows are written a little after their answers. */
const within = { timeout: 30_000 }
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const base64 = png.toString('base64')
const usage = {
  total_tokens: 4_200,
  input_tokens: 140,
  output_tokens: 4_060,
  input_tokens_details: { text_tokens: 40, image_tokens: 100 },
  output_tokens_details: { text_tokens: 60, image_tokens: 4_000 },
}
const reply = { created: 7, data: [{ b64_json: base64 }], output_format: 'png', quality: 'high', usage }

const ofGemini = {
  candidates: [
    {
      content: {
        parts: [
          { thought: true, inlineData: { mimeType: 'image/png', data: 'ZHJhZnQ=' } },
          { text: 'Here it is.' },
          { inlineData: { mimeType: 'image/png', data: base64 } },
        ],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: {
    promptTokenCount: 270,
    candidatesTokenCount: 1_130,
    totalTokenCount: 1_400,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 12 },
      { modality: 'IMAGE', tokenCount: 258 },
    ],
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_120 }],
  },
}

const gemini = { provider: 'gemini', upstreamModel: 'gemini-nano-banana-2.1', path: '/v1beta' }

function partial(index: number): string {
  const type = 'image_generation.partial_image'
  return `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: base64, partial_image_index: index })}\n\n`
}

function completed(type = 'image_generation.completed'): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: base64, usage })}\n\n`
}

describe('images.generate of the openai SDK', () => {
  it.each([
    ['openai', '/images/generations'],
    ['azure-openai', '/openai/v1/images/generations'],
    ['openai-compatible', '/images/generations'],
  ])('is forwarded to %s unchanged, with the upstream name of the model', async (provider, path) => {
    await using open = await openMediaGateway([
      { provider, upstreamModel: 'gpt-image-2', script: jsonAnswer(reply) },
    ])
    const asked = { model: 'm', prompt: 'a gate', n: 1, size: '1536x1024', quality: 'high' } as const
    const answer = await open.client.images.generate(asked)
    expect(open.sent().path).toBe(path)
    expect(JSON.parse(open.sent().body.toString())).toEqual({ ...asked, model: 'gpt-image-2' })
    expect(answer).toMatchObject(reply)
  })

  it('streams partial images, each as it arrives', async () => {
    const goOn = Promise.withResolvers<void>()
    const script = sseAnswer([partial(0), goOn.promise, partial(1), completed()])
    await using open = await openMediaGateway([{ provider: 'openai', upstreamModel: 'gpt-image-2', script }])
    const stream = await open.client.images.generate({
      model: 'm',
      prompt: 'a gate',
      stream: true,
      partial_images: 2,
    })
    const types: string[] = []
    for await (const event of stream) {
      types.push(event.type)
      // The second event is not sent before the first one was read.
      if (types.length === 1) goOn.resolve()
    }
    expect(types).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ])
    await expect
      .poll(async () => (await open.lastRow())?.usage, within)
      .toMatchObject({ output_tokens: 4_060 })
  })

  it('gets one event of 40 MB, and refuses one of 80 MB', async () => {
    const large = (megabytes: number) => {
      const type = 'image_generation.completed'
      const data = 'A'.repeat(megabytes * 1024 * 1024)
      return `event: ${type}\ndata: {"type":"${type}","b64_json":"${data}","usage":${JSON.stringify(usage)}}\n\n`
    }
    await using open = await openMediaGateway([
      {
        provider: 'openai',
        upstreamModel: 'gpt-image-2',
        script: [sseAnswer([large(40)]), sseAnswer([large(80)])],
      },
    ])
    const ask = () => open.post('/v1/images/generations', { model: 'm', prompt: 'a gate', stream: true })
    const good = await ask()
    expect((await good.arrayBuffer()).byteLength).toBeGreaterThan(40 * 1024 * 1024)
    await expect
      .poll(async () => (await open.lastRow())?.usage, within)
      .toMatchObject({ output_image_tokens: 4_000 })
    expect((await ask()).status).toBe(502)
  })

  it('is answered by a Gemini model, in its own format', async () => {
    await using open = await openMediaGateway([{ ...gemini, script: jsonAnswer(ofGemini) }])
    const asked = { model: 'm', prompt: 'a gate', size: '1536x864', quality: 'high' } as const
    const { data: answer, response } = await open.client.images.generate(asked).withResponse()
    expect(open.sent().path).toBe('/v1beta/models/gemini-nano-banana-2.1:generateContent')
    expect(JSON.parse(open.sent().body.toString())).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'a gate' }] }],
      generationConfig: {
        responseModalities: ['IMAGE'],
        imageConfig: { aspectRatio: '16:9', imageSize: '1K' },
      },
    })
    expect(answer).toMatchObject({
      data: [{ b64_json: base64 }],
      output_format: 'png',
      usage: { input_tokens: 270, input_tokens_details: { image_tokens: 258, text_tokens: 12 } },
    })
    expect(response.headers.get('x-headgate-loss')).toBe(
      'foreign-field(quality)=dropped, foreign-field(size)=approximated',
    )
  })

  it('is answered by a Gemini model as a stream of one event', async () => {
    await using open = await openMediaGateway([{ ...gemini, script: jsonAnswer(ofGemini) }])
    const stream = await open.client.images.generate({ model: 'm', prompt: 'a gate', stream: true })
    const events = []
    for await (const event of stream) events.push(event)
    expect(events).toMatchObject([
      { type: 'image_generation.completed', b64_json: base64, usage: { output_tokens: 1_130 } },
    ])
    expect(open.sent().path).toContain(':generateContent')
  })

  it('creates several images with a Gemini model by as many calls', async () => {
    await using open = await openMediaGateway([{ ...gemini, script: jsonAnswer(ofGemini) }])
    const answer = await open.client.images.generate({ model: 'm', prompt: 'a gate', n: 3 })
    expect([answer.data?.length, open.requests().length, answer.usage?.output_tokens]).toEqual([3, 3, 3_390])
    await expect
      .poll(async () => (await open.lastRow())?.usage, within)
      .toMatchObject({ output_image_tokens: 3_360 })
  })

  it('declares that a Gemini model gives no addresses of images', async () => {
    await using open = await openMediaGateway([{ ...gemini, script: jsonAnswer(ofGemini) }])
    const body = { model: 'm', prompt: 'a gate', response_format: 'url' }
    const answer = await open.post('/v1/images/generations', body)
    expect(answer.headers.get('x-headgate-loss')).toBe('foreign-field(response_format)=dropped')
  })

  it('reports the refusal of a model that creates no image, in its words', async () => {
    const refusal = {
      candidates: [{ content: { parts: [{ text: 'I cannot draw that.' }] }, finishReason: 'IMAGE_SAFETY' }],
    }
    await using open = await openMediaGateway([{ ...gemini, script: jsonAnswer(refusal) }])
    const answer = await open.post('/v1/images/generations', { model: 'm', prompt: 'a gate' })
    expect([answer.status, fieldsOf(fieldsOf(await answer.json())['error'])]).toMatchObject([
      400,
      { code: 'content_policy_violation', message: expect.stringContaining('I cannot draw that.') },
    ])
  })
})

describe('images.edit of the openai SDK', () => {
  const files = () => Promise.all([toFile(png, 'one.png', { type: 'image/png' }), toFile(png, 'two.png')])

  it('sends the form again, with the upstream name of the model', async () => {
    await using open = await openMediaGateway([
      { provider: 'openai', upstreamModel: 'gpt-image-2', script: jsonAnswer(reply) },
    ])
    const mask = await toFile(png, 'mask.png', { type: 'image/png' })
    await open.client.images.edit({ model: 'm', prompt: 'a gate', image: await files(), mask, n: 1 })
    const sent = open.sent()
    expect(sent.path).toBe('/images/edits')
    expect(Number(sent.headers['content-length'])).toBe(sent.body.length)
    const parts = await readFormParts(sent)
    expect(parts.map(({ name, filename, value }) => [name, filename ?? value])).toEqual(
      expect.arrayContaining([
        ['model', 'gpt-image-2'],
        ['prompt', 'a gate'],
        ['image[]', 'one.png'],
        ['image[]', 'two.png'],
        ['mask', 'mask.png'],
      ]),
    )
    for (const { bytes } of parts.filter(({ filename }) => filename !== undefined)) expect(bytes).toEqual(png)
  })

  it('streams', async () => {
    const script = sseAnswer([completed('image_edit.completed')])
    await using open = await openMediaGateway([{ provider: 'openai', upstreamModel: 'gpt-image-2', script }])
    const [image] = await files()
    const stream = await open.client.images.edit({ model: 'm', prompt: 'a gate', image, stream: true })
    const types = []
    for await (const event of stream) types.push(event.type)
    expect(types).toEqual(['image_edit.completed'])
  })

  it('sends a Gemini model the files in base64', async () => {
    await using open = await openMediaGateway([{ ...gemini, script: jsonAnswer(ofGemini) }])
    const [image] = await files()
    const answer = await open.client.images.edit({ model: 'm', prompt: 'bluer "please"', image })
    expect(answer.data).toEqual([{ b64_json: base64 }])
    expect(JSON.parse(open.sent().body.toString()).contents[0].parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: base64 } },
      { text: 'bluer "please"' },
    ])
  })

  it('sends a Gemini model the files of a numbered list', async () => {
    await using open = await openMediaGateway([{ ...gemini, script: jsonAnswer(ofGemini) }])
    const form = new FormData()
    form.append('model', 'm')
    form.append('prompt', 'bluer')
    form.append('image[0]', new Blob([png], { type: 'image/png' }), 'one.png')
    expect((await open.post('/v1/images/edits', form)).status).toBe(200)
    expect(JSON.parse(open.sent().body.toString()).contents[0].parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: base64 } },
      { text: 'bluer' },
    ])
  })

  it('moves to the next channel with the same files', async () => {
    await using open = await openMediaGateway([
      { provider: 'openai', upstreamModel: 'gpt-image-2', script: { status: 503 } },
      { ...gemini, script: jsonAnswer(ofGemini) },
    ])
    const [image] = await files()
    const { response } = await open.client.images.edit({ model: 'm', prompt: 'x', image }).withResponse()
    expect(response.headers.get('x-headgate-channel')).toBe('c1')
    expect((await readFormParts(open.sent(0))).some(({ bytes }) => bytes.equals(png))).toBe(true)
    expect(open.sent(1).body.toString()).toContain(base64)
  })

  it('accepts references in JSON, which a Gemini model gets if they contain the bytes', async () => {
    await using open = await openMediaGateway([{ ...gemini, script: jsonAnswer(ofGemini) }])
    const body = { model: 'm', prompt: 'x', images: [{ image_url: `data:image/png;base64,${base64}` }] }
    expect((await open.post('/v1/images/edits', body)).status).toBe(200)
    const refused = await open.post('/v1/images/edits', { ...body, images: [{ file_id: 'file-1' }] })
    expect(fieldsOf(fieldsOf(await refused.json())['error'])).toMatchObject({
      code: 'cannot_be_carried',
      param: 'images[0]',
    })
  })

  it('is refused with a mask by a model that does not accept one', async () => {
    await using open = await openMediaGateway([{ ...gemini, script: jsonAnswer(ofGemini) }])
    const [image, mask] = await files()
    const asking = open.client.images.edit({ model: 'm', prompt: 'x', image, mask })
    await expect(asking).rejects.toMatchObject({ status: 400, param: 'mask' })
  })

  it('leaves no file and no open descriptor behind', async () => {
    needsOneProcess('it looks at the files of one process')
    let spooled: readonly string[] = []
    const script = () => {
      spooled = open.openUploads()
      return jsonAnswer(reply)
    }
    await using open = await openMediaGateway(
      [{ provider: 'openai', upstreamModel: 'gpt-image-2', script }],
      'limits: { upload_memory: 1KB }\n',
    )
    const image = await toFile(Buffer.alloc(3_000_000, 1), 'big.png', { type: 'image/png' })
    await open.client.images.edit({ model: 'm', prompt: 'x', image })
    expect(spooled).toHaveLength(1)
    const parts = await readFormParts(open.sent())
    expect(parts.find(({ filename }) => filename === 'big.png')?.bytes.length).toBe(3_000_000)
    expect(readdirSync(join(open.gateway.dataFolder, 'uploads'))).toEqual([])
    await expect.poll(() => open.openUploads()).toEqual([])
  })
})

describe('a refused request for images', () => {
  it.each([
    [{ model: 'm' }, 'missing_field', 'prompt'],
    [{ prompt: 'x' }, 'missing_field', 'model'],
    [{ model: 'm', prompt: 'x', n: 11 }, 'invalid_field', 'n'],
    [{ model: 'm', prompt: 'x', size: 'big' }, 'invalid_field', 'size'],
    [{ model: 'm', prompt: 'x', n: 2, stream: true }, 'cannot_be_carried', 'n'],
  ])('%j: %s', async (body, code, param) => {
    await using open = await openMediaGateway([{ ...gemini, script: jsonAnswer(ofGemini) }])
    const answer = await open.post('/v1/images/generations', body)
    expect(fieldsOf(fieldsOf(await answer.json())['error'])).toMatchObject({ code, param })
    expect(open.requests()).toEqual([])
  })

  it('is on a channel that creates none', async () => {
    await using open = await openMediaGateway([{ provider: 'groq', upstreamModel: 'x', script: {} }])
    const answer = await open.post('/v1/images/generations', { model: 'm', prompt: 'x' })
    expect(fieldsOf(fieldsOf(await answer.json())['error'])).toMatchObject({
      code: 'operation_not_supported',
    })
  })
})

describe('the cost of images', () => {
  /** Dollars for a million tokens of gpt-image-1.5, as the table has them. */
  const rates = { text: 5, imageIn: 8, textOut: 10, imageOut: 32 }

  it('has three disjoint classes of input and output, as in an independent sum', async () => {
    await using open = await openMediaGateway([
      { provider: 'openai', upstreamModel: 'gpt-image-1.5', script: jsonAnswer(reply) },
    ])
    const answer = await open.post('/v1/images/generations', { model: 'm', prompt: 'x' })
    const sum = 40 * rates.text + 100 * rates.imageIn + 60 * rates.textOut + 4_000 * rates.imageOut
    expect(Number(answer.headers.get('x-headgate-cost'))).toBeCloseTo(sum / 1_000_000, 9)
  })

  it.each<[string, ScriptedAnswer]>([
    ['whole', jsonAnswer(reply)],
    ['a stream', sseAnswer([partial(0), completed()])],
    ['cut', sseAnswer([partial(0)], 'reset')],
  ])('never exceeds the budget of an exact key, with %s as the answer', async (_how, script) => {
    const budget = '{ limit_usd: 1, window: month, mode: exact }'
    const secret = 'sk-budget-0123456789abcdef'
    await using open = await openMediaGateway(
      [{ provider: 'openai', upstreamModel: 'gpt-image-2', script }],
      `keys: [{ name: k, secret: ${secret}, models: ["*"], budgets: [${budget}] }]\n`,
      secret,
    )
    const body = { model: 'm', prompt: 'x', size: '1024x1024', quality: 'high', stream: true }
    const asked = Array.from({ length: 24 }, async () => {
      const answer = await open.post('/v1/images/generations', body)
      await answer.arrayBuffer().catch(() => undefined)
      return answer.status
    })
    const statuses = await Promise.all(asked)
    expect(statuses).toContain(429)
    const served = statuses.filter((status) => status === 200).length
    await expect.poll(async () => (await open.charged()).count, within).toBe(served)
    expect((await open.charged()).dollars).toBeLessThanOrEqual(1)
  })

  it('is reserved in proportion to the request: what does not fit is refused before it is sent', async () => {
    const secret = 'sk-budget-0123456789abcdef'
    await using open = await openMediaGateway(
      [{ provider: 'openai', upstreamModel: 'gpt-image-2', script: jsonAnswer(reply) }],
      `keys: [{ name: k, secret: ${secret}, models: ["*"], budgets: [{ limit_usd: 1, window: month, mode: exact }] }]\n`,
      secret,
    )
    const ask = async (more: object) =>
      (await open.post('/v1/images/generations', { model: 'm', prompt: 'x', ...more })).status
    expect(await ask({ n: 10, size: '3840x2160', quality: 'high' })).toBe(429)
    expect(await ask({ n: 10 })).toBe(429)
    expect(await ask({ n: 10, size: '1024x1024', quality: 'low' })).toBe(200)
  })

  it('is a price for each image if the server states no usage', async () => {
    const { usage: _, ...unstated } = { ...reply, data: [...reply.data, ...reply.data] }
    await using open = await openMediaGateway(
      [{ provider: 'openai-compatible', upstreamModel: 'flux', script: jsonAnswer(unstated) }],
      'models: { m: { price: { input: 0, output: 0, tool_calls: { image: 40 } } } }\n',
    )
    const answer = await open.post('/v1/images/generations', { model: 'm', prompt: 'x', n: 2 })
    expect(answer.headers.get('x-headgate-cost')).toBe('0.08')
  })
})

test('an image of a chat completion has the price of an image', async () => {
  const chat = {
    id: 'c-1',
    object: 'chat.completion',
    created: 7,
    model: 'm',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: {
          role: 'assistant',
          content: '',
          images: [{ type: 'image_url', image_url: { url: 'data:,' } }],
        },
      },
    ],
    usage: {
      prompt_tokens: 12,
      completion_tokens: 1_120,
      total_tokens: 1_132,
      completion_tokens_details: { image_tokens: 1_120 },
    },
  }
  await using open = await openMediaGateway(
    [{ provider: 'openai-compatible', upstreamModel: 'x', script: jsonAnswer(chat) }],
    'models: { m: { price: { input: 1, output: 2, output_image: 30 } } }\n',
  )
  const messages = [{ role: 'user' as const, content: 'Draw.' }]
  const { data, response } = await open.client.chat.completions
    .create({ model: 'm', messages })
    .withResponse()
  expect(fieldsOf(data.choices[0]?.message)['images']).toHaveLength(1)
  expect(Number(response.headers.get('x-headgate-cost'))).toBeCloseTo((12 + 1_120 * 30) / 1_000_000, 9)
})

test('a key without a grant cannot request images', async () => {
  const secret = 'sk-other-0123456789abcdef'
  await using open = await openMediaGateway(
    [{ provider: 'openai', upstreamModel: 'gpt-image-2', script: jsonAnswer(reply) }],
    `keys: [{ name: k, secret: ${secret}, models: ["another"] }]\n`,
    secret,
  )
  const client = new OpenAI({ baseURL: `${open.gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
  await expect(client.images.generate({ model: 'm', prompt: 'x' })).rejects.toMatchObject({ status: 404 })
})
