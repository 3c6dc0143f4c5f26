import type { RecordedRequest } from '../scripted-upstream.ts'

export interface SentPart {
  readonly name: string
  readonly filename: string | undefined
  readonly value: string
  readonly bytes: Buffer
}

/** The parts of a form that an upstream got, read by the platform's own parser and not by the gateway's. */
export async function readFormParts({ headers, body }: RecordedRequest): Promise<readonly SentPart[]> {
  const response = new Response(new Uint8Array(body), {
    headers: { 'content-type': headers['content-type'] ?? '' },
  })
  const parts: SentPart[] = []
  for (const [name, value] of await response.formData()) {
    const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(await value.arrayBuffer())
    const filename = typeof value === 'string' ? undefined : value.name
    parts.push({ name, filename, value: typeof value === 'string' ? value : '', bytes })
  }
  return parts
}
