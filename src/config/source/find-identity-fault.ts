import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { TlsIdentity } from '../../kit/net/tls-identity.ts'

export interface IdentityFault {
  readonly part: 'cert' | 'key'
  readonly message: string
}

/** Finds what keeps a listener from serving with the two. */
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
    // OpenSSL names each format and fault by another code; whatever it is, the key cannot be used.
    return false
  }
}

/** Whether the key is the certificate's, in the judgement of the library that will use both. */
function isAccepted(identity: TlsIdentity): boolean {
  try {
    createSecureContext(identity)
    return true
  } catch {
    // OpenSSL says in many ways that the two do not belong together.
    return false
  }
}

export function holdsCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]+?-----END [^-]+-----/g) ?? []
  try {
    return blocks.length > 0 && blocks.every((block) => new X509Certificate(block).subject !== undefined)
  } catch {
    // OpenSSL could not read a block, so it is no certificate.
    return false
  }
}
