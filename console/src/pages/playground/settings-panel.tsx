import { Field } from '../../forms/field.tsx'
import { t } from '../../language/language.ts'
import type { PlaygroundSettings } from './conversation.ts'
import type { SettingsFault } from './write-chat-body.ts'

interface SettingsPanelProps {
  readonly settings: PlaygroundSettings
  readonly fault: SettingsFault | undefined
  readonly onChange: (next: PlaygroundSettings) => void
}

const MAX_CHARACTERS = 100_000

/** The settings that all models share: the system prompt, tools and parameters. */
export function SettingsPanel({ settings, fault, onChange }: SettingsPanelProps) {
  const { system, tools, temperature, maxTokens } = settings
  const change = (next: Partial<PlaygroundSettings>) => onChange({ ...settings, ...next })
  return (
    <details
      className="rounded-xl border border-line bg-surface shadow-lift"
      open={fault !== undefined || undefined}
    >
      <summary className="cursor-pointer px-4 py-3 font-medium">{t('playground.settings')}</summary>
      <div className="grid gap-4 border-t border-line px-4 py-3.5 md:grid-cols-2">
        <LongText
          label={t('playground.system')}
          text={system}
          onChange={(next) => change({ system: next })}
        />
        <LongText
          label={t('playground.tools')}
          hint={t('playground.tools.hint')}
          error={fault === 'tools' ? t('playground.tools.wrong') : undefined}
          text={tools}
          isCode
          onChange={(next) => change({ tools: next })}
        />
        <Amount
          label={t('playground.temperature')}
          error={fault === 'temperature' ? t('playground.temperature.wrong') : undefined}
          text={temperature}
          inputMode="decimal"
          onChange={(next) => change({ temperature: next })}
        />
        <Amount
          label={t('playground.max_tokens')}
          error={fault === 'max_tokens' ? t('playground.max_tokens.wrong') : undefined}
          text={maxTokens}
          inputMode="numeric"
          onChange={(next) => change({ maxTokens: next })}
        />
      </div>
    </details>
  )
}

interface SettingProps {
  readonly label: string
  readonly text: string
  readonly onChange: (next: string) => void
  readonly hint?: string | undefined
  readonly error?: string | undefined
}

function LongText({
  text,
  onChange,
  isCode = false,
  ...field
}: SettingProps & { readonly isCode?: boolean }) {
  return (
    <Field {...field} isOptional>
      {(ties) => (
        <textarea
          {...ties}
          rows={5}
          maxLength={MAX_CHARACTERS}
          value={text}
          spellCheck={!isCode}
          onChange={(event) => onChange(event.target.value)}
          className={`input-frame w-full py-2 ${isCode ? 'font-mono text-[0.8125rem]' : ''}`}
        />
      )}
    </Field>
  )
}

interface AmountProps extends SettingProps {
  readonly inputMode: 'decimal' | 'numeric'
}

function Amount({ text, inputMode, onChange, ...field }: AmountProps) {
  return (
    <Field {...field} isOptional>
      {(ties) => (
        <input
          {...ties}
          inputMode={inputMode}
          value={text}
          onChange={(event) => onChange(event.target.value)}
          className="input-frame w-full"
        />
      )}
    </Field>
  )
}
