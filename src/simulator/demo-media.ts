import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JsonObject, JsonValue } from '../kit/json/json.ts'
import type { Clock } from '../kit/time/clock.ts'
import { unixSeconds } from '../kit/time/unix-seconds.ts'
import { DemoError } from './demo-error.ts'
import { answerImages } from './demo-image.ts'
import { answerSpeech, answerTranscription } from './demo-sound.ts'
import { readBytes, readJsonBody, sendJson } from './demo-transfer.ts'

interface MediaCall {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly route: string
}

interface UploadedFile {
  readonly field: string
  readonly name: string
  readonly bytes: Buffer
}

interface MediaBody {
  readonly fields: JsonObject
  readonly files: readonly UploadedFile[]
}

/** Serves the operations on images and sound. Rejects with `DemoError`. */
export async function answerMedia(clock: Clock, { incoming, outgoing, route }: MediaCall): Promise<void> {
  const { fields, files } = await readMediaBody(incoming)
  if (route.endsWith('/speech'))
    return sendSound(outgoing, answerSpeech(fields), fields['stream_format'] === 'sse')
  if (route.includes('/images/')) {
    const images = files.filter(({ field }) => field.startsWith('image')).length
    const created = unixSeconds(clock.nowMs())
    const answer = { created, ...answerImages(fields, images) }
    const type = route.endsWith('/edits') ? 'image_edit.completed' : 'image_generation.completed'
    return isStream(fields) ? sendImageEvents(outgoing, answer, type) : sendJson(outgoing, 200, answer)
  }
  const recording = files.find(({ field }) => field === 'file')
  sendTranscript(outgoing, answerTranscription(fields, recording), fields)
}

function isStream({ stream }: JsonObject): boolean {
  return stream === true || stream === 'true'
}

/** Reads a body of JSON or a form. Numbers of a form are texts. */
async function readMediaBody(incoming: IncomingMessage): Promise<MediaBody> {
  const type = incoming.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/')) return { fields: await readJsonBody(incoming), files: [] }
  const body = new Response(new Uint8Array(await readBytes(incoming)), { headers: { 'content-type': type } })
  const form = await body.formData().catch((cause: unknown) => {
    throw new DemoError(400, `The body is not a form: ${String(cause)}`)
  })
  const fields: Record<string, JsonValue> = {}
  const files: UploadedFile[] = []
  for (const [field, value] of form) {
    if (typeof value === 'string') fields[field] = field === 'n' ? Number(value) : value
    else files.push({ field, name: value.name, bytes: Buffer.from(await value.arrayBuffer()) })
  }
  return { fields, files }
}

function sendImageEvents(outgoing: ServerResponse, { data, usage }: JsonObject, type: string): void {
  const images = Array.isArray(data) ? data : []
  sendEvents(
    outgoing,
    images.map((image, index) => ({ type, ...image, ...(index === images.length - 1 && { usage }) })),
  )
}

function sendSound(outgoing: ServerResponse, sound: Buffer, asEvents: boolean): void {
  if (asEvents) {
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
    sendEvents(outgoing, [
      { type: 'speech.audio.delta', audio: sound.toString('base64') },
      { type: 'speech.audio.done', usage },
    ])
    return
  }
  outgoing.writeHead(200, { 'content-type': 'audio/wav', 'content-length': sound.length })
  outgoing.end(sound)
}

function sendTranscript(outgoing: ServerResponse, answer: JsonObject, fields: JsonObject): void {
  const { text, usage } = answer
  switch (fields['response_format'] ?? 'json') {
    case 'verbose_json':
    case 'diarized_json':
      sendJson(outgoing, 200, answer)
      return
    case 'text':
      sendText(outgoing, `${String(text)}\n`)
      return
    case 'srt':
      sendText(outgoing, `1\n${writeCue(answer, ',')}`)
      return
    case 'vtt':
      sendText(outgoing, `WEBVTT\n\n${writeCue(answer, '.')}`)
      return
    default:
      if (!isStream(fields)) sendJson(outgoing, 200, { text, usage })
      else
        sendEvents(outgoing, [
          { type: 'transcript.text.delta', delta: text },
          { type: 'transcript.text.done', text, usage },
        ])
  }
}

/** Writes the whole recording as one subtitle. */
function writeCue({ text, duration }: JsonObject, point: ',' | '.'): string {
  const milliseconds = Math.round(Number(duration) * 1_000)
  const end = new Date(milliseconds).toISOString().slice(11, 23).replace('.', point)
  return `00:00:00${point}000 --> ${end}\n${String(text)}\n`
}

function sendText(outgoing: ServerResponse, text: string): void {
  outgoing.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
  outgoing.end(text)
}

function sendEvents(outgoing: ServerResponse, events: readonly JsonObject[]): void {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  outgoing.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
}
