import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import type { AuthorizationRequest } from '../authorizer.ts'
import type { AwsCredentials } from './aws-credentials.ts'

export interface AwsScope {
  readonly service: string
  readonly region: string
  /** The wall-clock time in milliseconds. */
  readonly nowMs: number
}

/** The signing keys derived for a day. A new day's keys displace the old ones. */
const derivedKeys = new Map<string, ArrayBuffer>()
const MAX_DERIVED_KEYS = 100

/**
 * Makes the headers that sign a request with version 4 of AWS's signature
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, seen 2026-11-20). The
 * host, the content type, the body's hash and the date are signed. Other headers may change on the way.
 */
export async function signAwsRequest(
  request: Pick<AuthorizationRequest, 'method' | 'origin' | 'pathAndQuery' | 'headers' | 'body'>,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { service, region, nowMs }: AwsScope,
): Promise<Readonly<Record<string, string>>> {
  const contentType = request.headers['content-type']
  const hash = createHash('sha256')
  for (const part of request.body) hash.update(part)
  const contentHash = hash.digest('hex')
  if (derivedKeys.size >= MAX_DERIVED_KEYS) derivedKeys.clear()
  const signer = new AwsV4Signer({
    method: request.method,
    url: request.origin + request.pathAndQuery,
    headers: {
      'x-amz-content-sha256': contentHash,
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service,
    region,
    datetime: new Date(nowMs).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    cache: derivedKeys,
    allHeaders: true,
  })
  const { headers } = await signer.sign()
  return {
    authorization: headers.get('authorization') ?? '',
    'x-amz-content-sha256': contentHash,
    'x-amz-date': headers.get('x-amz-date') ?? '',
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  }
}
