import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import {
  type CertificationPlan,
  type CertificationView,
  MAX_CERTIFIED_MODELS,
} from '../../../../src/admin/certification/certification-contract.ts'
import { TextInput } from '../../forms/inputs.tsx'
import { writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Button } from '../../ui/button.tsx'
import { certificationPlanQuery, isOpen, useCertifying } from './certification-queries.ts'

interface StartCertificationProps {
  readonly channel: string
  readonly found: readonly CertificationView[]
}

/** Starts tests of a channel's models, and shows their maximum cost before. */
export function StartCertification({ channel, found }: StartCertificationProps) {
  const starts = useMay('POST /channels/{name}/certifications')
  const plan = useQuery({ ...certificationPlanQuery(channel), enabled: starts })
  if (!starts || plan.data === undefined) return null
  const { models } = plan.data
  if (models.length === 0) return <p className="text-muted">{t('certification.no_models')}</p>
  if (models.length > MAX_CERTIFIED_MODELS)
    return <StartOne channel={channel} found={found} models={models} />
  return <StartAll channel={channel} found={found} plan={plan.data} />
}

interface StartAllProps extends StartCertificationProps {
  readonly plan: CertificationPlan
}

function StartAll({ channel, found, plan }: StartAllProps) {
  const certifying = useCertifying(channel)
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <Button
        icon="play"
        isBusy={certifying.isPending}
        disabled={found.some(isOpen)}
        onClick={() => certifying.mutate(undefined)}
      >
        {t('certification.start', { count: plan.models.length })}
      </Button>
      <Bounds {...plan} />
    </div>
  )
}

interface StartOneProps extends StartCertificationProps {
  readonly models: CertificationPlan['models']
}

/** The gateway tests no more than a few dozen models at once. Of a channel with more, the user names one. */
function StartOne({ channel, found, models }: StartOneProps) {
  const [typed, setTyped] = useState('')
  const certifying = useCertifying(channel)
  const name = typed.trim()
  const chosen = models.find((each) => each.model === name || each.upstream_model === name)
  const isTested = found.some((each) => isOpen(each) && each.upstream_model === chosen?.upstream_model)
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (chosen !== undefined && !isTested && !certifying.isPending) certifying.mutate(chosen.model)
      }}
    >
      <TextInput
        field={{ name: 'certified_model', value: typed, onChange: setTyped, error: undefined }}
        label={t('certification.model')}
        hint={t('certification.model.hint', { count: models.length, maximum: MAX_CERTIFIED_MODELS })}
        suggestions={models.map(({ model }) => model)}
      />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <Button
          type="submit"
          icon="play"
          isBusy={certifying.isPending}
          disabled={chosen === undefined || isTested}
        >
          {t('certification.start.one')}
        </Button>
        {chosen !== undefined && <Bounds {...chosen} />}
      </div>
    </form>
  )
}

type BoundsProps = Pick<CertificationPlan, 'requests' | 'estimated_cost_usd'>

function Bounds({ requests, estimated_cost_usd: cost }: BoundsProps): ReactNode {
  const bound =
    cost === null ? t('certification.cost.unknown') : t('certification.cost', { cost: writeUsd(cost) })
  return (
    <span className="text-[0.8125rem] text-muted">
      {t('certification.requests', { count: requests })} · {bound}
    </span>
  )
}
