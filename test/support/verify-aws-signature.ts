import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export interface SignedRequest {
  readonly method: string
  /** The path with the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface ExpectedSigner {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly service: string
  readonly region: string
}

/**
 * Finds why the request is not signed by this signer; undefined where it is. Follows the steps of AWS's own description
 * of version 4 and knows nothing of the product, nor of the library that it signs with.
 */
export function findSignatureFault(request: SignedRequest, signer: ExpectedSigner): string | undefined {
  const { headers } = request
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      String(headers['authorization']),
    )
  if (parts === null) return 'the header is none of version 4'
  const [, keyId = '', date = '', region, service, names = '', signature] = parts
  if (keyId !== signer.accessKeyId) return 'another key'
  if (region !== signer.region || service !== signer.service) return 'another scope'
  const time = String(headers['x-amz-date'])
  if (!time.startsWith(date)) return 'another day'
  const signed = names.split(';')
  if (!signed.includes('host') || !signed.includes('x-amz-date')) return 'host or date are not signed'
  for (const name of Object.keys(headers))
    if (name.startsWith('x-amz-') && !signed.includes(name)) return `${name} is not signed`
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonicalRequest(request, signed))].join('\n')
  const key = [date, region, service, 'aws4_request'].reduce<Buffer>(
    (before, part) => hmac(before, part),
    Buffer.from(`AWS4${signer.secretAccessKey}`),
  )
  return hmac(key, text).toString('hex') === signature ? undefined : 'the signature does not match'
}

function canonicalRequest({ method, path, headers, body }: SignedRequest, signed: readonly string[]): string {
  const [resource = '', query = ''] = path.split('?')
  return [
    method,
    // Every segment is encoded once more than it goes over the wire.
    resource.split('/').map(encode).join('/'),
    query
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
      .sort()
      .join('&'),
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replaceAll(/ +/g, ' ')}`),
    '',
    signed.join(';'),
    sha256(body),
  ].join('\n')
}

function encode(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function sha256(value: string | Buffer): string {
  return createHash('sha256').update(value).digest('hex')
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
