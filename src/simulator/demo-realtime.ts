import type { IncomingMessage, Server } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { isJsonObject, type JsonObject, type JsonValue } from '../kit/json/json.ts'
import { tryParsePlainJson } from '../kit/json/try-parse-json.ts'
import { DemoLiveSession } from './demo-live.ts'

const MAX_FRAME_BYTES = 16 * 1024 * 1024
const PATH = /^\/v1\/realtime(?:\?|$)/
const LIVE_PATH =
  /^\/ws\/google\.ai\.generativelanguage\.v1beta\.GenerativeService\.BidiGenerateContent(?:\?|$)/
const CHARACTERS_A_TOKEN = 4
/** The base64 characters of one audio token: a tenth of a second of sound at 24,000 samples of two bytes. */
const AUDIO_CHARACTERS_A_TOKEN = 6_400

/** Serves the demo's realtime sessions, OpenAI's and Gemini's. They answer in text, to text and to sound. */
export function serveDemoRealtime(server: Server): { close(): void } {
  const webSockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES })
  server.on('upgrade', (request: IncomingMessage, socket, head) => {
    const isLive = LIVE_PATH.test(request.url ?? '')
    if (!isLive && !PATH.test(request.url ?? '')) {
      socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n')
      return
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const model = new URL(request.url ?? '', 'http://demo').searchParams.get('model') ?? 'demo-chat'
      const session = isLive ? new DemoLiveSession(webSocket) : new DemoSession(webSocket, model)
      webSocket.on('error', () => undefined)
      webSocket.on('message', (data) => session.receive(String(data)))
    })
  })
  return {
    close() {
      for (const webSocket of webSockets.clients) webSocket.terminate()
    },
  }
}

class DemoSession {
  readonly #webSocket: WebSocket
  #session: JsonObject
  #words: string[] = []
  #audioCharacters = 0
  #committed = 0
  #events = 0
  #items = 0

  constructor(webSocket: WebSocket, model: string) {
    this.#webSocket = webSocket
    this.#session = {
      type: 'realtime',
      object: 'realtime.session',
      id: 'sess_demo',
      model,
      output_modalities: ['text'],
      max_output_tokens: 'inf',
      audio: { input: { turn_detection: null } },
    }
    this.#send({ type: 'session.created', session: this.#session })
  }

  receive(text: string): void {
    const event = tryParsePlainJson(text)
    if (!isJsonObject(event)) {
      this.#fail('The event is not a JSON object.')
      return
    }
    const { session, item, audio } = event
    switch (event['type']) {
      case 'session.update':
        this.#session = { ...this.#session, ...(isJsonObject(session) ? session : {}) }
        this.#send({ type: 'session.updated', session: this.#session })
        return
      case 'conversation.item.create':
        if (isJsonObject(item)) this.#addItem(item)
        return
      case 'input_audio_buffer.append':
        this.#audioCharacters += typeof audio === 'string' ? audio.length : 0
        return
      case 'input_audio_buffer.clear':
        this.#audioCharacters = 0
        this.#send({ type: 'input_audio_buffer.cleared' })
        return
      case 'input_audio_buffer.commit':
        this.#commit()
        return
      case 'response.create':
        this.#respond()
        return
      default:
        this.#fail(`The demo has no event ${JSON.stringify(event['type'])}.`)
    }
  }

  #addItem(item: JsonObject): void {
    this.#items += 1
    const added = { ...item, id: `item_${this.#items}` }
    this.#words.push(...textsOf(item['content']))
    this.#send({ type: 'conversation.item.added', previous_item_id: null, item: added })
    this.#send({ type: 'conversation.item.done', previous_item_id: null, item: added })
  }

  #commit(): void {
    const tokens = Math.ceil(this.#audioCharacters / AUDIO_CHARACTERS_A_TOKEN)
    this.#committed += tokens
    this.#audioCharacters = 0
    this.#send({ type: 'input_audio_buffer.committed', item_id: `item_${this.#items + 1}` })
    this.#addItem({ type: 'message', role: 'user', content: [{ type: 'input_audio', transcript: null }] })
    this.#words.push(`(${tokens / 10} seconds of sound)`)
  }

  #respond(): void {
    this.#events += 1
    const id = `resp_demo_${this.#events}`
    const heard = this.#words.at(-1) ?? 'nothing'
    const said = `You said: ${heard}`
    const response = { object: 'realtime.response', id, status: 'in_progress', output: [] }
    const position = {
      response_id: id,
      item_id: `item_answer_${this.#events}`,
      output_index: 0,
      content_index: 0,
    }
    this.#send({ type: 'response.created', response })
    for (const word of said.split(/(?<= )/))
      this.#send({ type: 'response.output_text.delta', ...position, delta: word })
    this.#send({ type: 'response.output_text.done', ...position, text: said })
    const content = [{ type: 'output_text', text: said }]
    const output = [
      { id: position.item_id, type: 'message', role: 'assistant', status: 'completed', content },
    ]
    const usage = this.#usage(said)
    this.#send({ type: 'response.done', response: { ...response, status: 'completed', output, usage } })
  }

  #usage(said: string): JsonObject {
    const textTokens = Math.ceil(this.#words.join(' ').length / CHARACTERS_A_TOKEN)
    const outputTokens = Math.ceil(said.length / CHARACTERS_A_TOKEN)
    const inputTokens = textTokens + this.#committed
    return {
      total_tokens: inputTokens + outputTokens,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      input_token_details: { text_tokens: textTokens, audio_tokens: this.#committed, cached_tokens: 0 },
      output_token_details: { text_tokens: outputTokens, audio_tokens: 0 },
    }
  }

  #fail(message: string): void {
    this.#send({ type: 'error', error: { type: 'invalid_request_error', code: null, message, param: null } })
  }

  #send(event: JsonObject): void {
    this.#webSocket.send(JSON.stringify({ event_id: `event_demo_${this.#events}`, ...event }))
  }
}

function textsOf(content: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((part) =>
    isJsonObject(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  )
}
