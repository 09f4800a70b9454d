// The phase of an operation's life-cycle as a badge.

import { Badge, type Tone } from '../parts/badges.tsx'

const TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  deprecated: 'warn',
  'browning out': 'warn',
  gone: 'bad',
  'past its sunset': 'bad',
}

export const Phase = ({ phase }: { phase: string }) => <Badge tone={TONES[phase] ?? 'plain'}>{phase}</Badge>
