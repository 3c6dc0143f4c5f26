import { X509Certificate } from 'node:crypto'
import type { Expiring } from '../alerts/conditions/expiry-conditions.ts'
import type { Config } from './config.ts'

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

type CertificateConfig = Pick<Config, 'tls' | 'channels'>

/** Reads the certificates of each configuration once, since a configuration never changes. */
export function createCertificateReader(): (config: CertificateConfig) => readonly Expiring[] {
  const known = new WeakMap<CertificateConfig, readonly Expiring[]>()
  return (config) => {
    const read = known.get(config) ?? listCertificates(config)
    known.set(config, read)
    return read
  }
}

/** Lists every certificate of every file: a file may have old ones next to the one in use. */
function listCertificates({ tls, channels }: CertificateConfig): readonly Expiring[] {
  const ofChannels = channels.flatMap(({ name, authorities }) =>
    authorities === undefined ? [] : [[`channel ${name} (ca_file)`, authorities.pem] as const],
  )
  const files = tls === undefined ? ofChannels : [['tls', tls.cert] as const, ...ofChannels]
  return files.flatMap(([name, pem]) =>
    [...pem.matchAll(PEM_CERTIFICATE)].map(([text]): Expiring => {
      return { id: name, name, expiresAtMs: new X509Certificate(text).validToDate.getTime() }
    }),
  )
}
