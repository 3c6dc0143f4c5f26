import { generateKeyPairSync, sign } from 'node:crypto'
import type { TlsIdentity } from '../../kit/net/tls-identity.ts'
import type { Random } from '../../kit/random/random.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'

const LIFE_MS = HOUR_MS
const NAME = 'headgate warm-up'

// DER tags (ITU-T X.690).
const BOOLEAN = 0x01
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const UTF8_STRING = 0x0c
const GENERALIZED_TIME = 0x18
const UTC_TIME = 0x17
const SEQUENCE = 0x30
const SET = 0x31
const VERSION = 0xa0
const EXTENSIONS = 0xa3
const IP_ADDRESS = 0x87

// Object identifiers in DER encoding.
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex')
const COMMON_NAME = Buffer.from('0603550403', 'hex')
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex')
const SUBJECT_ALTERNATIVE_NAME = Buffer.from('0603551d11', 'hex')

/** The year from which times in certificates have four digits for the year (RFC 5280 §4.1.2.5). */
const FIRST_LONG_YEAR = 2050

/**
 * Creates a self-signed certificate for 127.0.0.1 that is valid for an hour (RFC 5280 §4.1). Node can create keys but
 * no certificates.
 */
export function createLoopbackIdentity(nowMs: number, random: Pick<Random, 'bytes'>): TlsIdentity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = encode(SEQUENCE, ECDSA_WITH_SHA256)
  const name = encode(SEQUENCE, encode(SET, encode(SEQUENCE, COMMON_NAME, encode(UTF8_STRING, NAME))))
  const content = encode(
    SEQUENCE,
    encode(VERSION, encode(INTEGER, Buffer.from([2]))),
    encode(INTEGER, createSerialNumber(random)),
    algorithm,
    name,
    encode(SEQUENCE, encodeTime(nowMs - LIFE_MS), encodeTime(nowMs + LIFE_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encode(EXTENSIONS, encode(SEQUENCE, ...listExtensions())),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)])
  const certificate = encode(SEQUENCE, content, algorithm, encode(BIT_STRING, signature))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${wrap(certificate.toString('base64'))}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function listExtensions(): readonly Buffer[] {
  const isTrue = encode(BOOLEAN, Buffer.from([0xff]))
  const address = encode(IP_ADDRESS, Buffer.from([127, 0, 0, 1]))
  return [
    encode(SEQUENCE, BASIC_CONSTRAINTS, isTrue, encode(OCTET_STRING, encode(SEQUENCE, isTrue))),
    encode(SEQUENCE, SUBJECT_ALTERNATIVE_NAME, encode(OCTET_STRING, encode(SEQUENCE, address))),
  ]
}

/** A positive number without a leading zero byte. */
function createSerialNumber(random: Pick<Random, 'bytes'>): Buffer {
  return Buffer.concat([Buffer.from([0x01]), random.bytes(15)])
}

function encodeTime(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replace(/\..*$|[-:T]/g, '')
  const isLong = Number(digits.slice(0, 4)) >= FIRST_LONG_YEAR
  return isLong ? encode(GENERALIZED_TIME, `${digits}Z`) : encode(UTC_TIME, `${digits.slice(2)}Z`)
}

/** Encodes a value with its tag and its length. */
function encode(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content])
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  return length < 0x100 ? Buffer.from([0x81, length]) : Buffer.from([0x82, length >> 8, length & 0xff])
}

function wrap(base64: string): string {
  return base64.replace(/.{64}(?=.)/g, '$&\n')
}
