import type { TlsScript } from '../script/script-schema.ts'
import { type Certificate, type CertificateWish, makeCertificate } from './make-certificate.ts'

export interface TlsIdentity {
  readonly cert: string
  readonly key: string
  /** PEM of the root that a caller would have to trust. */
  readonly authority: string
}

const authorityWish: CertificateWish = {
  commonName: 'Headgate fault authority',
  serial: 1,
  notBefore: '20200101000000Z',
  notAfter: '20991231235959Z',
  isAuthority: true,
  dnsNames: [],
  addresses: [],
}

const goodWish: CertificateWish = {
  ...authorityWish,
  commonName: 'localhost',
  serial: 2,
  isAuthority: false,
  dnsNames: ['localhost'],
  addresses: ['127.0.0.1'],
}

const wishes: Readonly<Record<TlsScript['certificate'], CertificateWish>> = {
  good: goodWish,
  expired: { ...goodWish, notAfter: '20210101000000Z' },
  'not-yet-valid': { ...goodWish, notBefore: '20980101000000Z' },
  'wrong-host': {
    ...goodWish,
    commonName: 'elsewhere.invalid',
    dnsNames: ['elsewhere.invalid'],
    addresses: [],
  },
  'self-signed': goodWish,
}

/** A server's certificate with the fault that the script wants, fresh at each opening. */
export function makeTlsIdentity(kind: TlsScript['certificate']): TlsIdentity {
  const authority = makeCertificate(authorityWish)
  const issuer: Certificate | undefined = kind === 'self-signed' ? undefined : authority
  const { cert, key } = makeCertificate(wishes[kind], issuer)
  return { cert, key, authority: authority.cert }
}
