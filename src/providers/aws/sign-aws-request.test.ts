import { describe, expect, it } from 'vitest'
import { findSignatureFault } from '../../../test/support/verify-aws-signature.ts'
import { signAwsRequest } from './sign-aws-request.ts'

/** The keys and the requests of AWS's own examples. */
const exampleKeys = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}

const suiteKeys = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}

const sessionToken =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=='

describe('AWS signatures', () => {
  // docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, seen 2026-11-20.
  it.each([
    ['/?lifecycle', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['/?max-keys=2&prefix=J', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ])('match those that AWS publishes for %s', async (path, signature) => {
    const request = {
      method: 'GET',
      origin: 'https://examplebucket.s3.amazonaws.com',
      pathAndQuery: path,
      headers: {},
      body: [],
    } as const
    const scope = { service: 's3', region: 'us-east-1', nowMs: Date.UTC(2013, 4, 24) }
    const { authorization } = await signAwsRequest(request, exampleKeys, scope)
    expect(authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
    )
  })

  it('cover an ARN in the path, a body in chunks, the content type and a session token', async () => {
    const path = `/model/${encodeURIComponent('arn:aws:bedrock:eu-west-3:1:inference-profile/eu.x-v1:0')}/converse`
    const headers = { 'content-type': 'application/json', 'user-agent': 'headgate/test' }
    const body = [Buffer.from('{"a":'), Buffer.from('"ü"}')]
    const signed = await signAwsRequest(
      {
        method: 'POST',
        origin: 'https://bedrock-runtime.eu-west-3.amazonaws.com',
        pathAndQuery: path,
        headers,
        body,
      },
      { ...suiteKeys, sessionToken },
      { service: 'bedrock', region: 'eu-west-3', nowMs: Date.UTC(2026, 10, 20, 12, 30) },
    )
    expect(signed['x-amz-date']).toBe('20261120T123000Z')
    const sent = {
      method: 'POST',
      path,
      headers: { host: 'bedrock-runtime.eu-west-3.amazonaws.com', ...headers, ...signed },
      body: Buffer.concat(body),
    }
    const signer = { ...suiteKeys, service: 'bedrock', region: 'eu-west-3' }
    expect(findSignatureFault(sent, signer)).toBeUndefined()
    const spoilt = { ...sent, body: Buffer.from('{"a":"u"}') }
    expect(findSignatureFault(spoilt, signer)).toBe('the signature does not match')
    const elsewhere = { ...sent, path: '/model/other/converse' }
    expect(findSignatureFault(elsewhere, signer)).toBe('the signature does not match')
  })
})

// The suite of requests that AWS publishes for makers of clients (aws-sig-v4-test-suite), by the names of its cases.
describe('verifying AWS signatures', () => {
  const base = { method: 'POST', path: '/', body: Buffer.alloc(0) }
  const host = 'example.amazonaws.com'
  const date = { host, 'x-amz-date': '20150830T123600Z' }
  const signer = { ...suiteKeys, service: 'service', region: 'us-east-1' }
  const authorization = (names: string, signature: string) =>
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`

  it('accepts the AWS example get-vanilla', () => {
    const signature = '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'
    const headers = { ...date, authorization: authorization('host;x-amz-date', signature) }
    expect(findSignatureFault({ ...base, method: 'GET', headers }, signer)).toBeUndefined()
    expect(findSignatureFault({ ...base, method: 'PUT', headers }, signer)).toBeDefined()
  })

  it('accepts the AWS example post-x-www-form-urlencoded', () => {
    const signature = 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a'
    const headers = {
      ...date,
      'content-type': 'application/x-www-form-urlencoded',
      authorization: authorization('content-type;host;x-amz-date', signature),
    }
    const body = Buffer.from('Param1=value1')
    expect(findSignatureFault({ ...base, headers, body }, signer)).toBeUndefined()
  })

  it('accepts the AWS example post-sts-header-before', () => {
    const signature = '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead'
    const headers = {
      ...date,
      'x-amz-security-token': sessionToken,
      authorization: authorization('host;x-amz-date;x-amz-security-token', signature),
    }
    expect(findSignatureFault({ ...base, headers }, signer)).toBeUndefined()
  })
})
