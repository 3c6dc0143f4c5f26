import { Link } from '@tanstack/react-router'
import type { SectionView } from '../../../../src/admin/settings/settings-contract.ts'
import { writeYaml } from '../../changes/write-yaml.ts'
import { findText, t } from '../../language/language.ts'
import { EditSetting } from '../../settings/edit-setting.tsx'
import { findSettingTitle } from '../../settings/setting-form.tsx'
import { planSetting } from '../../settings/setting-plan.ts'
import { useMay } from '../../shell/use-me.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy-button.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../ui/filters.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { SettingsSearch } from './settings-search.ts'

const owners = ['file', 'api', 'environment', 'default'] as const
const tones: Readonly<Record<SectionView['owner'], Tone>> = {
  file: 'accent',
  api: 'good',
  environment: 'warn',
  default: 'neutral',
}

interface SectionListProps {
  readonly sections: readonly SectionView[]
  readonly search: SettingsSearch
  readonly onChange: (next: Partial<SettingsSearch>) => void
}

/**
 * The settings in force in the syntax of the file, each with its owner. Settings that can be changed here come first.
 */
export function SectionList({ sections, search: { q, owner }, onChange }: SectionListProps) {
  const changes = useMay('POST /drafts')
  const matching = sections.filter(
    (section) => (owner === undefined || section.owner === owner) && isAbout(section, q ?? ''),
  )
  const shown = matching.toSorted((one, other) => Number(other.editable) - Number(one.editable))
  return (
    <>
      <FilterBar
        active={[q, owner].filter((each) => each !== undefined).length}
        onClear={() => onChange({ q: undefined, owner: undefined })}
        first={
          <FilterText
            label={t('settings.search')}
            value={q}
            onChange={(next) => onChange({ q: next })}
            isSearch
            className="min-w-40 flex-1 sm:max-w-64"
          />
        }
      >
        <FilterSelect
          label={t('owner.label')}
          value={owner}
          choices={owners.map((each) => [each, t(`owner.${each}`)])}
          onChange={(next) => onChange({ owner: next })}
        />
      </FilterBar>
      <p className="mb-3 max-w-3xl text-muted">
        {t(changes ? 'settings.read_only' : 'settings.read_only.view')}
      </p>
      {shown.length === 0 && (
        <Card>
          <EmptyState icon="settings" title={t('settings.none')}>
            {t('filter.none.advice')}
          </EmptyState>
        </Card>
      )}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        {shown.map((section) => (
          <SectionCard key={section.name} section={section} />
        ))}
      </div>
    </>
  )
}

/** Whether each search word is in the name, the title, the fields or the synonyms of a setting. */
function isAbout({ name, schema }: SectionView, search: string): boolean {
  const fields = planSetting(schema)?.fields ?? []
  const texts = [
    name,
    findSettingTitle(name),
    findText(`settings.words.${name}`),
    ...fields.flatMap((field) => [
      field.name,
      findText(`settings.field.${name}.${field.name}`),
      findText(`settings.hint.${name}.${field.name}`),
    ]),
  ]
  const text = texts.join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function SectionCard({ section }: { readonly section: SectionView }) {
  const { name, owner, restart, value } = section
  const manages = useMay('POST /drafts')
  return (
    <Card
      title={
        <>
          {findSettingTitle(name)} <code className="text-[0.8125rem] font-normal text-muted">{name}</code>
        </>
      }
      actions={
        <span className="flex flex-wrap items-center gap-1.5">
          {name === 'alerts' && (
            <Link to="/health" className={buttonClass('quiet', true)}>
              {t('nav.health')}
            </Link>
          )}
          {manages && <EditSetting section={section} />}
          {restart && <Badge title={t('settings.restart.why')}>{t('settings.restart')}</Badge>}
          <Badge tone={tones[owner]}>{t(`owner.${owner}`)}</Badge>
        </span>
      }
    >
      <CodeBlock text={writeYaml({ [name]: value })} label={name} />
    </Card>
  )
}
