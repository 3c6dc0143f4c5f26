import { createSseParser, type SseFrame } from '../../kit/sse/sse-parser.ts'
import type { ResponseSink } from './response-sink.ts'

/**
 * Writes an event stream as a JSON array, with an entry for the data of each event as soon as it arrives. This is the
 * form of Gemini's streams for callers that did not ask for events. Heartbeats are white space. An array that is cut
 * off has no closing bracket.
 */
export function createArraySink(sink: ResponseSink): ResponseSink {
  const writer = new ArrayWriter()
  return {
    start(status, headers) {
      const isStream = headers['content-type']?.startsWith('text/event-stream') === true
      if (isStream) writer.isOpen = true
      sink.start(
        status,
        isStream ? { ...headers, 'content-type': 'application/json; charset=utf-8' } : headers,
      )
    },
    write: (bytes) => sink.write(writer.isOpen ? writer.write(bytes) : bytes),
    end(last) {
      if (!writer.isOpen) sink.end(last)
      else sink.end((last === undefined ? '' : writer.write(last)) + writer.close())
    },
    cut: () => sink.cut(),
    onDrain: (listener) => sink.onDrain(listener),
    onGone: (listener) => sink.onGone(listener),
    onStop: (listener) => sink.onStop(listener),
  }
}

class ArrayWriter {
  isOpen = false
  #count = 0
  readonly #parser = createSseParser()

  write(bytes: Buffer | string): string {
    // The heartbeat of the format is a blank line, which is no event.
    if (bytes === '\n') return bytes
    const frames = this.#parser.push(typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
    return frames.map((frame) => this.#entryOf(frame)).join('')
  }

  close(): string {
    const rest = this.#parser.end()
    const last = rest === undefined ? '' : this.#entryOf(rest)
    return `${last}${this.#count === 0 ? '[' : ''}]`
  }

  #entryOf({ data }: SseFrame): string {
    const text = data?.trim() ?? ''
    // Some servers end their streams as OpenAI does, with a word that is not JSON.
    if (text === '' || text === '[DONE]') return '\n'
    this.#count += 1
    return `${this.#count === 1 ? '[' : ',\r\n'}${text}`
  }
}
