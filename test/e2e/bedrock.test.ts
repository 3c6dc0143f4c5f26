import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { fieldsOf } from '../support/judged.ts'
import {
  type BedrockCall,
  bedrockKeys,
  bedrockRegion,
  bedrockToken,
  openFakeBedrock,
  refuse,
  streamAnswer,
} from '../support/open-fake-bedrock.ts'
import { refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer, openScriptedUpstream, type ScriptedAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import { findSignatureFault } from '../support/verify-aws-signature.ts'
import { writeEvent, writeEventStreamMessage, writeException } from '../support/write-event-stream.ts'

let cleanup = new AsyncDisposableStack()
afterEach(async () => {
  await cleanup.disposeAsync()
  cleanup = new AsyncDisposableStack()
})

const ownKeys = `access_key_id: ${bedrockKeys.accessKeyId}, secret_access_key: ${bedrockKeys.secretAccessKey}`
const claude = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
const profile = 'arn:aws:bedrock:eu-west-3:123456789012:inference-profile/eu.anthropic.claude-haiku-4-5'

interface Plan {
  readonly answer: ScriptedAnswer | ((call: BedrockCall) => ScriptedAnswer)
  readonly credentials?: string
  readonly format?: string
  readonly more?: string
  readonly variables?: Readonly<Record<string, string>>
}

async function open({ answer, credentials = ownKeys, format = 'converse', more = '', variables = {} }: Plan) {
  const calls: BedrockCall[] = []
  const upstream = cleanup.use(
    await openFakeBedrock((call) => {
      calls.push(call)
      return typeof answer === 'function' ? answer(call) : answer
    }),
  )
  const environment = {
    configPath: undefined,
    variables: { AWS_EC2_METADATA_DISABLED: 'true', ...variables },
  }
  const folder = mkdtempSync(join(tmpdir(), 'headgate-bedrock-'))
  const gateway = cleanup.use(
    await startGateway(
      `
channels:
  - name: b
    provider: bedrock
    format: ${format}
    base_url: ${upstream.origin}
    allow_private: true
    credentials: { region: ${bedrockRegion}${credentials === '' ? '' : `, ${credentials}`} }
    models: { claude: "${claude}", profile: "${profile}" }
${more}`,
      folder,
      environment,
    ),
  )
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: testKey, maxRetries: 0 })
  return { gateway, upstream, calls, openai, anthropic }
}

const messages = [{ role: 'user' as const, content: 'Hi' }]
const whole = jsonAnswer({
  output: { message: { role: 'assistant', content: [{ text: 'Hello' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
})
const begin = writeEvent('messageStart', { role: 'assistant' })
const words = (text: string) => writeEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text } })
const finish = [
  writeEvent('contentBlockStop', { contentBlockIndex: 0 }),
  writeEvent('messageStop', { stopReason: 'end_turn' }),
  writeEvent('metadata', {
    usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
    metrics: { latencyMs: 1 },
  }),
]

async function readAll(stream: AsyncIterable<OpenAI.Chat.ChatCompletionChunk>) {
  let text = ''
  let failure: unknown
  try {
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
  } catch (error) {
    failure = error
  }
  return { text, failure }
}

describe('a channel of Bedrock', () => {
  it('signs with keys, also with those of sessions, and puts models and ARNs in the path', async () => {
    const session = `, session_token: "${bedrockKeys.sessionToken}"`
    const { openai, calls } = await open({ answer: whole, credentials: ownKeys + session })
    const { choices, model, id } = await openai.chat.completions.create({ model: 'profile', messages })
    expect([choices[0]?.message.content, model]).toEqual(['Hello', profile])
    expect(id).not.toBe('')
    expect(calls.map((call) => [call.model, call.operation])).toEqual([[profile, 'converse']])
    expect(calls[0]?.body).toEqual({ messages: [{ role: 'user', content: [{ text: 'Hi' }] }] })
  })

  it.each([
    ['an api_key of the channel', `api_key: ${bedrockToken}`, {}],
    ['the variable of the environment', '', { AWS_BEARER_TOKEN_BEDROCK: bedrockToken }],
  ])('sends a token: %s', async (_case, credentials, variables) => {
    const { openai, calls } = await open({ answer: whole, credentials, variables })
    await openai.chat.completions.create({ model: 'claude', messages })
    expect(calls[0]?.request.headers['authorization']).toBe(`Bearer ${bedrockToken}`)
  })

  it('signs with the machine’s credentials: keys of the environment, a shared file, a container’s role', async () => {
    const { accessKeyId, secretAccessKey, sessionToken } = bedrockKeys
    const folder = mkdtempSync(join(tmpdir(), 'headgate-aws-'))
    writeFileSync(
      join(folder, 'credentials'),
      `[default]\naws_access_key_id=${accessKeyId}\naws_secret_access_key=${secretAccessKey}\n`,
    )
    const role = cleanup.use(
      await openScriptedUpstream(
        jsonAnswer({
          AccessKeyId: accessKeyId,
          SecretAccessKey: secretAccessKey,
          Token: sessionToken,
          Expiration: new Date(Date.now() + 3_600_000).toISOString(),
        }),
      ),
    )
    const machines = [
      { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
      { AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials') },
      { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${role.origin}/role` },
    ]
    for (const variables of machines) {
      const { openai } = await open({ answer: whole, credentials: '', variables })
      const first = await openai.chat.completions.create({ model: 'claude', messages })
      const second = await openai.chat.completions.create({ model: 'claude', messages })
      expect([first, second].map(({ choices }) => choices[0]?.message.content)).toEqual(['Hello', 'Hello'])
    }
    expect(role.requests.length).toBe(1)
  })

  it('fetches new machine credentials once after the old ones were refused as expired', async () => {
    const { accessKeyId, secretAccessKey, sessionToken } = bedrockKeys
    const role = cleanup.use(
      await openScriptedUpstream(
        jsonAnswer({ AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken }),
      ),
    )
    let count = 0
    const { openai, calls } = await open({
      answer() {
        count += 1
        return count === 1 ? refuse(403, 'ExpiredTokenException', 'The security token is expired') : whole
      },
      credentials: '',
      variables: { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${role.origin}/role` },
    })
    const { choices } = await openai.chat.completions.create({ model: 'claude', messages })
    expect([choices[0]?.message.content, calls.length, role.requests.length]).toEqual(['Hello', 2, 2])
  })

  it('reports wrong or missing keys as the gateway’s fault, and never shows the keys', async () => {
    const secret = 'another-secret-that-nobody-may-see'
    const answer = (call: BedrockCall) =>
      refuse(400, 'ValidationException', JSON.stringify(call.request.headers))
    const wrong = await open({
      answer,
      credentials: `access_key_id: ${bedrockKeys.accessKeyId}, secret_access_key: ${secret}`,
    })
    const none = await open({ answer, credentials: '' })
    for (const { openai } of [wrong, none]) {
      const refusal = await refusalOf(openai.chat.completions.create({ model: 'claude', messages }))
      expect(refusal).toBeInstanceOf(OpenAI.APIError)
      expect(fieldsOf(refusal)['status']).toBe(502)
      expect(JSON.stringify(refusal)).toContain('upstream_credential')
      expect(JSON.stringify(refusal)).not.toContain(secret)
    }
    expect(none.calls).toEqual([])
    const { sessionToken } = bedrockKeys
    const echo = await open({ answer, credentials: `${ownKeys}, session_token: "${sessionToken}"` })
    const refusal = await refusalOf(echo.openai.chat.completions.create({ model: 'claude', messages }))
    expect(fieldsOf(refusal)['status']).toBe(400)
    expect(String(refusal)).toContain('[redacted]')
    expect(String(refusal)).not.toContain(sessionToken)
  })

  it('uses the guardrails that the operator configures, and none from a caller', async () => {
    const credentials = `${ownKeys}, guardrail_id: gr-1, guardrail_version: "7"`
    const { openai, calls } = await open({ answer: whole, credentials })
    const unknown = { guardrailConfig: { x: 1 } }
    await openai.chat.completions.create({ model: 'claude', messages, ...unknown })
    expect(fieldsOf(calls[0]?.body)['guardrailConfig']).toEqual({
      guardrailIdentifier: 'gr-1',
      guardrailVersion: '7',
    })
  })
})

describe('the models of Bedrock', () => {
  it('are the foundation models and profiles that can be called, and are listed with the channel’s signature', async () => {
    const upstream = cleanup.use(
      await openScriptedUpstream((request) => {
        const signer = { ...bedrockKeys, service: 'bedrock', region: bedrockRegion }
        if (findSignatureFault(request, signer) !== undefined) return { status: 403 }
        return jsonAnswer(
          request.path === '/foundation-models?byInferenceType=ON_DEMAND'
            ? { modelSummaries: [{ modelId: 'amazon.nova-lite-v1:0' }, { modelId: 'both' }] }
            : {
                inferenceProfileSummaries: [
                  { inferenceProfileId: 'eu.anthropic.x' },
                  { inferenceProfileId: 'both' },
                ],
              },
        )
      }),
    )
    const gateway = cleanup.use(
      await startGateway(`
channels:
  - { name: b, provider: bedrock, base_url: ${upstream.origin}, allow_private: true, models: "*", credentials: { region: ${bedrockRegion}, ${ownKeys} } }
`),
    )
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
    const { data } = await openai.models.list()
    expect(data.map(({ id }) => id).sort()).toEqual(['amazon.nova-lite-v1:0', 'both', 'eu.anthropic.x'])
  })
})

describe('a stream of Bedrock', () => {
  it('is requested as an event stream and delivered to its end, with its usage', async () => {
    const { openai, calls } = await open({
      answer: streamAnswer(begin, words('Hel'), words('lo'), ...finish),
    })
    const stream = openai.chat.completions.stream({
      model: 'claude',
      messages,
      stream_options: { include_usage: true },
    })
    const { choices, usage } = await stream.finalChatCompletion()
    expect([choices[0]?.message.content, choices[0]?.finish_reason]).toEqual(['Hello', 'stop'])
    expect([usage?.prompt_tokens, usage?.completion_tokens]).toEqual([3, 2])
    expect([calls[0]?.operation, calls[0]?.request.headers.accept]).toEqual([
      'converse-stream',
      'application/vnd.amazon.eventstream',
    ])
  })

  const last = words('never whole')
  it.each([
    ['between two messages', streamAnswer(begin, words('Hel'), words('lo'))],
    ['within a message', streamAnswer(begin, words('Hello'), last.subarray(0, last.length - 3))],
    ['by a reset', { ...streamAnswer(begin, words('Hello')), ending: 'reset' as const }],
  ])('ends with an error if it is truncated %s', async (_case, answer) => {
    const { openai } = await open({ answer })
    const stream = await openai.chat.completions.create({ model: 'claude', messages, stream: true })
    const { text, failure } = await readAll(stream)
    expect('Hello'.startsWith(text)).toBe(true)
    expect(failure).toBeInstanceOf(OpenAI.OpenAIError)
  })

  it('ends with an error if its bytes were changed, and shows nothing of the changed message', async () => {
    const spoilt = words('wrong')
    spoilt[spoilt.length - 8] = (spoilt[spoilt.length - 8] ?? 0) ^ 1
    const { openai } = await open({ answer: streamAnswer(begin, words('Hello'), spoilt, ...finish) })
    const stream = await openai.chat.completions.create({ model: 'claude', messages, stream: true })
    const { text, failure } = await readAll(stream)
    expect(text).toBe('Hello')
    expect(String(failure)).toContain('checksum')
  })

  it('ends with an error of the same kind as its exception', async () => {
    const exception = writeException('modelStreamErrorException', 'The model broke off.')
    const { openai, anthropic } = await open({ answer: streamAnswer(begin, words('Hello'), exception) })
    const stream = await openai.chat.completions.create({ model: 'claude', messages, stream: true })
    const { text, failure } = await readAll(stream)
    expect(text).toBe('Hello')
    expect(failure).toBeInstanceOf(OpenAI.OpenAIError)
    const other = anthropic.messages.stream({ model: 'claude', messages, max_tokens: 9 })
    expect(await refusalOf(other.finalMessage())).toBeInstanceOf(Anthropic.AnthropicError)
  })

  it('moves to another target if it begins with an exception', async () => {
    let count = 0
    const gone = streamAnswer(begin, writeException('serviceUnavailableException', 'Later.'))
    const good = streamAnswer(begin, words('Hello'), ...finish)
    const { openai } = await open({
      answer() {
        count += 1
        return count === 1 ? gone : good
      },
      more: 'models: { both: { targets: [b/claude, b/profile] } }\n',
    })
    const stream = await openai.chat.completions.create({ model: 'both', messages, stream: true })
    expect(await readAll(stream)).toEqual({ text: 'Hello', failure: undefined })
  })
})

describe('Claude on Bedrock in the messages format', () => {
  const chunk = (value: unknown) => {
    const bytes = Buffer.from(JSON.stringify(value)).toString('base64')
    return writeEvent('chunk', { bytes, p: 'abcdef' })
  }
  const message = {
    id: 'msg_bdrk_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 1 },
  }
  const opening = [
    chunk({ type: 'message_start', message }),
    chunk({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    chunk({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } }),
  ]
  const closing = [
    chunk({ type: 'content_block_stop', index: 0 }),
    chunk({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }),
    chunk({ type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 3 } }),
  ]
  const body = { model: 'claude', messages, max_tokens: 9 }

  it('gets the caller’s bytes with the model in the path, and the betas that Bedrock knows in the body', async () => {
    const answer = jsonAnswer({
      ...message,
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
    })
    const { anthropic, calls } = await open({ answer, format: 'messages' })
    const betas = 'claude-code-20250219,interleaved-thinking-2025-05-14'
    const unknown = { x_new: 1 }
    await anthropic.messages.create({ ...body, ...unknown }, { headers: { 'anthropic-beta': betas } })
    expect([calls[0]?.model, calls[0]?.operation]).toEqual([claude, 'invoke'])
    expect(calls[0]?.body).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['interleaved-thinking-2025-05-14'],
      messages,
      max_tokens: 9,
      x_new: 1,
    })
    const { headers } = calls[0]?.request ?? {}
    expect([headers?.['anthropic-beta'], headers?.['anthropic-version']]).toEqual([undefined, undefined])
  })

  it('streams to callers of that format and of others', async () => {
    const { anthropic, openai, calls } = await open({
      answer: streamAnswer(...opening, ...closing),
      format: 'messages',
    })
    const reported = await anthropic.messages.stream(body).finalMessage()
    expect([reported.content, reported.stop_reason, reported.usage.output_tokens]).toEqual([
      [{ type: 'text', text: 'Hello' }],
      'end_turn',
      2,
    ])
    expect([calls[0]?.operation, fieldsOf(calls[0]?.body)['stream']]).toEqual([
      'invoke-with-response-stream',
      undefined,
    ])
    const stream = await openai.chat.completions.create({ model: 'claude', messages, stream: true })
    expect(await readAll(stream)).toEqual({ text: 'Hello', failure: undefined })
  })

  it('ends with an error of that format if it is truncated, or ends with an exception', async () => {
    const headers = { ':message-type': 'error', ':error-code': 'InternalFailure', ':error-message': 'gone' }
    const endings = [
      [],
      [writeException('serviceUnavailableException', 'Later.')],
      [writeEventStreamMessage(headers, '')],
    ]
    for (const ending of endings) {
      const { anthropic } = await open({ answer: streamAnswer(...opening, ...ending), format: 'messages' })
      const refusal = await refusalOf(anthropic.messages.stream(body).finalMessage())
      expect(refusal).toBeInstanceOf(Anthropic.AnthropicError)
    }
  })

  it('reports a refusal in that format', async () => {
    const tooLong = refuse(400, 'ValidationException', 'Input is too long for requested model.')
    const { anthropic } = await open({ answer: tooLong, format: 'messages' })
    const refusal = await refusalOf(anthropic.messages.create(body))
    expect(fieldsOf(fieldsOf(refusal)['error'])).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'Input is too long for requested model.' },
    })
    const unknown = refuse(400, 'ValidationException', 'The provided model identifier is invalid.')
    const second = await open({ answer: unknown, format: 'messages' })
    expect(fieldsOf(await refusalOf(second.anthropic.messages.create(body)))['status']).toBe(502)
  })
})
