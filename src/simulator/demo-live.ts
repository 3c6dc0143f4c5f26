import type { WebSocket } from 'ws'
import { isJsonObject, type JsonObject, type JsonValue } from '../kit/json/json.ts'
import { tryParsePlainJson } from '../kit/json/try-parse-json.ts'

const CHARACTERS_A_TOKEN = 4
/**
 * The base64 characters of one audio token. A second of sound at 16,000 samples of two bytes is 32 tokens, each of
 * 1,000 bytes.
 */
const AUDIO_CHARACTERS_A_TOKEN = 1_333
/** Google's close code for an unknown message. */
const INVALID_MESSAGE = 1007

/** A Live session of the demo. It repeats the words that it receives, and says how much sound it received. */
export class DemoLiveSession {
  readonly #webSocket: WebSocket
  #isSetUp = false
  #textCharacters = 0
  #audioCharacters = 0

  constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket
  }

  receive(text: string): void {
    const message = tryParsePlainJson(text)
    const fields = isJsonObject(message) ? message : {}
    const content = fields['clientContent'] ?? fields['client_content']
    const input = fields['realtimeInput'] ?? fields['realtime_input']
    if (!this.#isSetUp) this.#setUp(fields)
    else if (isJsonObject(content)) this.#readContent(content)
    else if (isJsonObject(input)) this.#readInput(input)
    else this.#webSocket.close(INVALID_MESSAGE, 'The demo does not know this message.')
  }

  #setUp({ setup }: JsonObject): void {
    this.#isSetUp = isJsonObject(setup)
    if (this.#isSetUp) this.#send({ setupComplete: {} })
    else this.#webSocket.close(INVALID_MESSAGE, 'The first message is no setup.')
  }

  #readContent({ turns, turnComplete, turn_complete: snake }: JsonObject): void {
    const said = textsOf(turns)
    this.#textCharacters += said.join(' ').length
    if ((turnComplete ?? snake) === true) this.#respond(said.at(-1) ?? 'nothing')
  }

  #readInput(input: JsonObject): void {
    const { audio, text } = input
    if (isJsonObject(audio) && typeof audio['data'] === 'string')
      this.#audioCharacters += audio['data'].length
    if (typeof text === 'string') {
      this.#textCharacters += text.length
      this.#respond(text)
    } else if (input['audioStreamEnd'] === true || input['audio_stream_end'] === true) {
      this.#respond(`(${Math.round(this.#audioTokens / 3.2) / 10} seconds of sound)`)
    }
  }

  get #audioTokens(): number {
    return Math.ceil(this.#audioCharacters / AUDIO_CHARACTERS_A_TOKEN)
  }

  #respond(heard: string): void {
    const said = `You said: ${heard}`
    for (const text of said.split(/(?<= )/))
      this.#send({ serverContent: { modelTurn: { role: 'model', parts: [{ text }] } } })
    this.#send({ serverContent: { generationComplete: true } })
    this.#send({ serverContent: { turnComplete: true }, usageMetadata: this.#usage(said) })
    this.#textCharacters += said.length
  }

  #usage(said: string): JsonObject {
    const textTokens = Math.ceil(this.#textCharacters / CHARACTERS_A_TOKEN)
    const audioTokens = this.#audioTokens
    const responseTokenCount = Math.ceil(said.length / CHARACTERS_A_TOKEN)
    return {
      promptTokenCount: textTokens + audioTokens,
      responseTokenCount,
      totalTokenCount: textTokens + audioTokens + responseTokenCount,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: textTokens },
        { modality: 'AUDIO', tokenCount: audioTokens },
      ],
      responseTokensDetails: [{ modality: 'TEXT', tokenCount: responseTokenCount }],
    }
  }

  #send(message: JsonObject): void {
    this.#webSocket.send(JSON.stringify(message))
  }
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (!isJsonObject(value)) return []
  const { text, parts } = value
  return typeof text === 'string' ? [text] : textsOf(parts)
}
