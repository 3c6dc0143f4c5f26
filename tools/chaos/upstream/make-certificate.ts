import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { derTrue, writeBits, writeDer, writeObjectId, writeText, writeTime } from './der.ts'

export interface CertificateOptions {
  readonly commonName: string
  readonly serial: number
  /** The time as `YYYYMMDDHHMMSSZ`. */
  readonly notBefore: string
  readonly notAfter: string
  /** Whether the certificate may sign others. */
  readonly isAuthority: boolean
  readonly dnsNames: readonly string[]
  readonly addresses: readonly string[]
}

export interface Certificate {
  readonly commonName: string
  readonly privateKey: KeyObject
  /** The certificate in PEM. */
  readonly cert: string
  readonly key: string
}

const ecdsaWithSha256 = writeDer('sequence', writeObjectId('1.2.840.10045.4.3.2'))
const VERSION_3 = 2

/** Makes a P-256 key and its certificate (RFC 5280), signed by the issuer, or self-signed without one. */
export function makeCertificate(options: CertificateOptions, issuer?: Certificate): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const body = writeDer(
    'sequence',
    writeDer(0xa0, writeInteger(VERSION_3)),
    writeInteger(options.serial),
    ecdsaWithSha256,
    writeName((issuer ?? options).commonName),
    writeDer('sequence', writeTime(options.notBefore), writeTime(options.notAfter)),
    writeName(options.commonName),
    spki,
    writeDer(0xa3, writeDer('sequence', ...writeExtensions(options))),
  )
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey)
  const der = writeDer('sequence', body, ecdsaWithSha256, writeBits(signature))
  return {
    commonName: options.commonName,
    privateKey,
    cert: writePem(der),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** Writes a small positive number; others are not needed. */
function writeInteger(value: number): Buffer {
  return writeDer('integer', Buffer.from([value]))
}

function writeName(commonName: string): Buffer {
  const attribute = writeDer('sequence', writeObjectId('2.5.4.3'), writeText(commonName))
  return writeDer('sequence', writeDer('set', attribute))
}

function writeExtensions({ isAuthority, dnsNames, addresses }: CertificateOptions): readonly Buffer[] {
  const constraints = writeDer('sequence', ...(isAuthority ? [derTrue] : []))
  const basic = writeExtension('2.5.29.19', constraints, true)
  const names = [
    ...dnsNames.map((name) => writeDer(0x82, Buffer.from(name))),
    ...addresses.map((address) => writeDer(0x87, Buffer.from(address.split('.').map(Number)))),
  ]
  if (names.length === 0) return [basic]
  return [basic, writeExtension('2.5.29.17', writeDer('sequence', ...names), false)]
}

function writeExtension(id: string, value: Buffer, isCritical: boolean): Buffer {
  const critical = isCritical ? [derTrue] : []
  return writeDer('sequence', writeObjectId(id), ...critical, writeDer('octetString', value))
}

function writePem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
