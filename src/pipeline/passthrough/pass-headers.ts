/** Headers that apply to only one connection (RFC 9110 §7.6.1), and headers that are written again for each call. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'content-length',
  'expect',
  'accept-encoding',
  'user-agent',
])

/**
 * Headers that are never passed on. Some identify the caller. With others, a caller could authorize itself or bill
 * another account. With the rest, some servers replace the method or path of the request line.
 */
const neverPassed: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'xi-api-key',
  'ocp-apim-subscription-key',
  'cookie',
  'forwarded',
  'via',
  'x-real-ip',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-original-host',
  'x-rewrite-url',
  'x-host',
  'openai-organization',
  'openai-project',
  'x-goog-user-project',
])

const neverPassedPrefixes = ['x-forwarded-', 'x-headgate-', 'x-amz-', 'sec-', 'cf-', 'proxy-']
const NAME = /^[a-z0-9!#$%&'*+.^`|~-]+$/
const VALUE = /^[\t\x20-\x7e]*$/
const MAX_VALUE_CHARACTERS = 8_192

type SentHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The caller's headers that are passed on to the provider. Their names are in lower case. */
export function passRequestHeaders(headers: SentHeaders): Readonly<Record<string, string>> {
  const named = namedByConnection(headers)
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || !NAME.test(name) || named.has(name) || !mayPass(name)) continue
    const text = [value].flat().join(', ')
    if (text.length <= MAX_VALUE_CHARACTERS && VALUE.test(text)) passed[name] = text
  }
  return passed
}

/** The headers that `connection` names. They apply only to this connection, whatever their names are. */
function namedByConnection({ connection }: SentHeaders): ReadonlySet<string> {
  const names = [connection ?? []].flat().join(',').split(',')
  return new Set(names.map((name) => name.trim().toLowerCase()))
}

function mayPass(name: string): boolean {
  if (ofConnection.has(name) || neverPassed.has(name)) return false
  return !neverPassedPrefixes.some((prefix) => name.startsWith(prefix))
}

/** The headers of an answer that describe its bytes. A provider adds the headers that it declares. */
export const passedAnswerHeaders: readonly string[] = [
  'content-type',
  'content-disposition',
  'content-language',
  'content-range',
  'accept-ranges',
  'cache-control',
  'etag',
  'last-modified',
  'retry-after',
]
