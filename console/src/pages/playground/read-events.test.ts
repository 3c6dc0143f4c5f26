import { expect, it } from 'vitest'
import { readEvents } from './read-events.ts'

/** A stream of the text in chunks of so many bytes. */
function streamOf(text: string, size: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text)
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
}

async function listEvents(text: string, size: number): Promise<readonly string[]> {
  const events: string[] = []
  for await (const event of readEvents(streamOf(text, size))) events.push(event)
  return events
}

const lines = [': a comment', '', 'event: chunk', 'data: {"text":', 'data: "é…"}', '', 'data:[DONE]', '', '']

it.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('the console reads the events of a stream with %s line ends, wherever it is cut', async (_name, end) => {
  for (let size = 1; size < 60; size += 1)
    expect(await listEvents(lines.join(end), size)).toEqual(['{"text":\n"é…"}', '[DONE]'])
})

it('the console reads the last event of a stream without its blank line, and no line that is cut off', async () => {
  expect(await listEvents('data: 1\n\ndata: [DONE]\ndata: 2', 5)).toEqual(['1', '[DONE]'])
})
