import type { SettingsView, WarningFact } from '../../../../src/admin/settings/settings-contract.ts'
import { writeMoment } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { Card, DetailList } from '../../ui/card.tsx'
import { joinFirstNames } from '../../ui/join-names.ts'
import { Banner } from '../../ui/states.tsx'
import { Absent, TimeText } from '../../ui/text.tsx'

/** The process that answers, and the problems of its configuration. */
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

/** A warning of the configuration in the language of the page. */
function writeWarningFact(fact: WarningFact): string {
  switch (fact.kind) {
    case 'certificate_early':
    case 'certificate_ended':
      return t(`settings.warning.${fact.kind}`, { at: writeMoment(fact.values.at) })
    case 'unpriced_refused':
    case 'unpriced_uncounted':
      return t(`settings.warning.${fact.kind}`, { models: joinFirstNames(fact.values.models) })
    case 'refused_for_price':
      return t('settings.warning.refused_for_price', { refusals: writeRefusals(fact.values.refusals) })
    case 'unserved_model':
    case 'unmatched_pattern':
    case 'unserved_fallback':
    case 'ungranted_fallback':
    case 'withheld_by_group': {
      const object = t(`settings.warning.object.${fact.values.object}`)
      return t(`settings.warning.${fact.kind}`, { ...fact.values, object })
    }
    default:
      return t(`settings.warning.${fact.kind}`, fact.values)
  }
}

type PriceRefusals = Extract<WarningFact, { readonly kind: 'refused_for_price' }>['values']['refusals']

function writeRefusals(refusals: PriceRefusals): string {
  return joinFirstNames(
    refusals.map(({ model, keys }) =>
      keys === undefined
        ? t('settings.warning.refused_to_all', { model })
        : t('settings.warning.refused_to', { model, keys: joinFirstNames(keys) }),
    ),
    '; ',
  )
}
