import type {
  CertificationView,
  CheckResultView,
} from '../../../../src/admin/certification/certification-contract.ts'
import { t } from '../../language/language.ts'
import { classNames } from '../../ui/class-names.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'

type Outcome = CheckResultView['outcome']
type CheckName = CheckResultView['check']

/** Each outcome has its own icon besides its color. */
const looks: Readonly<Record<Outcome | 'waiting', readonly [look: string, icon: IconName | undefined]>> = {
  works: ['bg-good-soft text-good', 'check'],
  does_not_work: ['bg-bad-soft text-bad', 'close'],
  not_offered: ['bg-sunken text-muted', 'minus'],
  not_tried: ['border border-dashed border-line-strong text-muted', 'help'],
  waiting: ['animate-pulse-soft bg-sunken', undefined],
}

const outcomes = ['works', 'does_not_work', 'not_offered', 'not_tried'] as const

interface SignProps {
  readonly outcome: Outcome | 'waiting'
  readonly isSmall?: boolean
}

function Sign({ outcome, isSmall = false }: SignProps) {
  const [look, icon] = looks[outcome]
  return (
    <span
      aria-hidden="true"
      className={classNames(
        'inline-flex shrink-0 items-center justify-center rounded',
        isSmall ? 'size-4' : 'size-4.5',
        look,
      )}
    >
      {icon !== undefined && <Icon name={icon} className="size-3.5" />}
    </span>
  )
}

interface CertificationProps {
  readonly certification: CertificationView
}

function outcomeOf({ results }: CertificationView, check: CheckName): Outcome | 'waiting' {
  return results.find((each) => each.check === check)?.outcome ?? 'waiting'
}

/** One icon for each check, in the order of the checks. */
export function SignRow({ certification }: CertificationProps) {
  const { model, checks } = certification
  return (
    <ul aria-label={t('certification.row', { model })} className="flex flex-wrap gap-0.5">
      {checks.map((check) => {
        const text = describeCheck(check, outcomeOf(certification, check))
        return (
          <li key={check} title={text} className="inline-flex">
            <Sign outcome={outcomeOf(certification, check)} isSmall />
            <span className="sr-only">{text}</span>
          </li>
        )
      })}
    </ul>
  )
}

/** The icons with the names of the checks. */
export function BadgeRow({ certification }: CertificationProps) {
  const { model, checks } = certification
  return (
    <ul aria-label={t('certification.row', { model })} className="flex flex-wrap gap-1.5">
      {checks.map((check) => {
        const outcome = outcomeOf(certification, check)
        return (
          <li
            key={check}
            className="inline-flex items-center gap-1.5 rounded-md border border-line py-0.5 pr-2 pl-1 text-[0.8125rem]"
          >
            <Sign outcome={outcome} />
            {t(`certification.check.${check}`)}
            <span className="sr-only">{describeOutcome(outcome)}</span>
          </li>
        )
      })}
    </ul>
  )
}

export function describeOutcome(outcome: Outcome | 'waiting'): string {
  return t(`certification.outcome.${outcome}`)
}

function describeCheck(check: CheckName, outcome: Outcome | 'waiting'): string {
  return `${t(`certification.check.${check}`)}: ${describeOutcome(outcome)}`
}

/** The meaning of the icons. */
export function BadgeLegend() {
  return (
    <ul
      aria-label={t('certification.legend')}
      className="flex flex-wrap gap-x-4 gap-y-1 text-[0.8125rem] text-muted"
    >
      {outcomes.map((outcome) => (
        <li key={outcome} className="inline-flex items-center gap-1.5">
          <Sign outcome={outcome} />
          {describeOutcome(outcome)}
        </li>
      ))}
    </ul>
  )
}
