import type { TlsScript } from '../script/script-schema.ts'
import { type Certificate, type CertificateOptions, makeCertificate } from './make-certificate.ts'

export interface TlsIdentity {
  readonly cert: string
  readonly key: string
  /** PEM of the root that a caller would have to trust. */
  readonly authority: string
}

const authorityOptions: CertificateOptions = {
  commonName: 'Headgate fault authority',
  serial: 1,
  notBefore: '20200101000000Z',
  notAfter: '20991231235959Z',
  isAuthority: true,
  dnsNames: [],
  addresses: [],
}

const goodOptions: CertificateOptions = {
  ...authorityOptions,
  commonName: 'localhost',
  serial: 2,
  isAuthority: false,
  dnsNames: ['localhost'],
  addresses: ['127.0.0.1'],
}

const optionsOf: Readonly<Record<TlsScript['certificate'], CertificateOptions>> = {
  good: goodOptions,
  expired: { ...goodOptions, notAfter: '20210101000000Z' },
  'not-yet-valid': { ...goodOptions, notBefore: '20980101000000Z' },
  'wrong-host': {
    ...goodOptions,
    commonName: 'elsewhere.invalid',
    dnsNames: ['elsewhere.invalid'],
    addresses: [],
  },
  'self-signed': goodOptions,
}

/** A server's certificate with the fault that the script wants, fresh at each opening. */
export function makeTlsIdentity(kind: TlsScript['certificate']): TlsIdentity {
  const authority = makeCertificate(authorityOptions)
  const issuer: Certificate | undefined = kind === 'self-signed' ? undefined : authority
  const { cert, key } = makeCertificate(optionsOf[kind], issuer)
  return { cert, key, authority: authority.cert }
}
