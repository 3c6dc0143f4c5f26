import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { TlsIdentity } from '../../kit/net/tls-identity.ts'

export interface IdentityFault {
  readonly part: 'cert' | 'key'
  readonly message: string
}

/** Finds why a listener cannot serve with this certificate and key. */
export function findIdentityFault({ cert, key }: TlsIdentity): IdentityFault | undefined {
  if (!holdsCertificates(cert)) {
    return { part: 'cert', message: 'the file holds no certificate in PEM that can be read' }
  }
  if (/^-----BEGIN ENCRYPTED|^Proc-Type:.*ENCRYPTED/m.test(key)) {
    return { part: 'key', message: 'the private key asks for a password; give one that does not' }
  }
  if (!isPrivateKey(key)) return { part: 'key', message: 'the file holds no private key in PEM' }
  if (!isAccepted({ cert, key })) {
    return { part: 'key', message: 'the private key is not that of the certificate in tls.cert' }
  }
  return undefined
}

function isPrivateKey(key: string): boolean {
  try {
    createPrivateKey(key)
    return true
  } catch {
    // OpenSSL has different codes for each format and fault. In all cases the key cannot be used.
    return false
  }
}

/** Whether the key matches the certificate, according to the library that will use both. */
function isAccepted(identity: TlsIdentity): boolean {
  try {
    createSecureContext(identity)
    return true
  } catch {
    // OpenSSL has many errors for a key that does not match.
    return false
  }
}

export function holdsCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]+?-----END [^-]+-----/g) ?? []
  try {
    return blocks.length > 0 && blocks.every((block) => new X509Certificate(block).subject !== undefined)
  } catch {
    // OpenSSL could not read a block, so the block is not a certificate.
    return false
  }
}
