// What the tests of several official clients have in common: a channel that answers strictly in its format, a tool and
// a picture.
import { answerStrictly } from './agent/speech.ts'
import { fieldsOf } from './judged.ts'
import { type OpenGateway, openGateway } from './open-gateway.ts'

type Format = Parameters<typeof answerStrictly>[0]

/** A PNG of one point, as base64. */
export const dotPicture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The tool `weather` without what each format puts around it. */
export const weatherTool = {
  name: 'weather',
  description: 'Tells the weather.',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
export const weatherCall = { id: 'call_1', name: 'weather', input: { city: 'Wien' } }

/** A gateway with a channel that answers with a text. */
export function openWithText(format: Format, text: string): Promise<OpenGateway> {
  return openGateway({ format, scripts: [(request) => answerStrictly(format, request, { text })] })
}

/** A gateway with a channel that calls the tool first, and then answers with a text. */
export function openWithToolCall(format: Format, text: string): Promise<OpenGateway> {
  return openGateway({
    format,
    scripts: [
      (request, index) => answerStrictly(format, request, index === 0 ? { calls: [weatherCall] } : { text }),
    ],
  })
}

/** The body of a request to the first channel, the first one unless another is meant. */
export function sentBody({ upstreams }: OpenGateway, index = 0): ReturnType<typeof fieldsOf> {
  return fieldsOf(JSON.parse(String(upstreams[0]?.requests[index]?.body)))
}
