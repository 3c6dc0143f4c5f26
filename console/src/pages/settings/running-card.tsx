import type { SettingsView, WarningFact } from '../../../../src/admin/settings/settings-contract.ts'
import { writeMoment } from '../../language/format.ts'
import { findText, t } from '../../language/language.ts'
import { Card, DetailList } from '../../ui/card.tsx'
import { Banner } from '../../ui/states.tsx'
import { Absent, TimeText } from '../../ui/text.tsx'

/** The process that answers, and what is wrong with its configuration. */
export function RunningCard({ settings }: { readonly settings: SettingsView }) {
  const { version, node, platform, pid, started_at, source, data_folder, public_url, warning_facts } =
    settings
  return (
    <div className="space-y-4">
      {warning_facts.map(writeWarningFact).map((warning) => (
        <Banner key={warning} tone="warn">
          {warning}
        </Banner>
      ))}
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Card title={t('settings.process')}>
          <DetailList
            rows={[
              [t('settings.version'), version],
              [t('settings.node'), `${node} · ${platform}`],
              [t('settings.pid'), String(pid)],
              [t('settings.started'), <TimeText key="started" at={started_at} />],
              [t('settings.source'), source ?? <Absent key="source" />],
              [t('settings.data_folder'), data_folder],
              [t('settings.public_url'), public_url ?? <Absent key="url" />],
              [
                t('settings.config_version'),
                settings.config_version === 0
                  ? t('settings.config_version.none')
                  : String(settings.config_version),
              ],
            ]}
          />
        </Card>
        <CertificateCard certificate={settings.certificate} />
      </div>
    </div>
  )
}

function CertificateCard({ certificate }: Pick<SettingsView, 'certificate'>) {
  return (
    <Card title={t('settings.certificate')}>
      {certificate === null ? (
        <p className="text-muted">{t('settings.certificate.none')}</p>
      ) : (
        <DetailList
          rows={[
            [t('settings.certificate.names'), certificate.names.join(', ')],
            [t('settings.certificate.issuer'), certificate.issuer],
            [t('settings.certificate.expires'), <TimeText key="expires" at={certificate.expires_at} />],
            [t('settings.certificate.fingerprint'), <code key="print">{certificate.fingerprint}</code>],
          ]}
        />
      )}
    </Card>
  )
}

/** A warning of the configuration in the language of the page. One that the gateway knows as a text alone stays so. */
function writeWarningFact({ kind, values }: WarningFact): string {
  if (kind === 'text') return values['text'] ?? ''
  const { at, object } = values
  return t(`settings.warning.${kind}`, {
    ...values,
    ...(at !== undefined && { at: writeMoment(at) }),
    ...(object !== undefined && { object: findText(`settings.warning.object.${object}`) ?? object }),
  })
}
