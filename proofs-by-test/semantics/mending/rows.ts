/** Of every finding of the zoo and of the bugs found elsewhere: the verdict of the mended program, what was added and where; or the code of the refusal. */
export const rows: Readonly<Record<string, string>> = {
  'zoo/D1 1 D1':
    'ok: mbarrier.wait barrier=@full parity=0 acquire=true scope="cta" before `read s` of consumer',
  'zoo/D2 1 D2':
    'ok: mbarrier.init barrier=@order count=1 at the beginning; mbarrier.arrive barrier=@order count=1 release=true scope="cta" after `store mine` of producer; mbarrier.wait barrier=@order parity=0 acquire=true scope="cta" before `store yours` of consumer',
  'zoo/D3 1 D3': 'mend.no-edge',
  'zoo/D4 1 D4': 'ok: mbarrier.wait barrier=@done parity=0 acquire=true scope="cta" before `mma 2` of second',
  'zoo/P1 1 P1': 'ok: fence.proxyAsync scope="cta" after `write s`',
  'zoo/P1-registers 1 P1': 'ok: wgmma.fence after `zero acc`',
  'zoo/P2 1 P2': 'ok: fence.proxyAsync scope="cta" after `write s`',
  'zoo/P2-agent 1 P2': 'ok: fence.proxyAsync scope="cta" after `write s` of producer',
  'zoo/P3 1 P3': 'ok: fence.proxyAsync scope="cta" after `read s`',
  'zoo/P3-blackwell 1 P3': 'ok: fence.proxyAsync scope="cta" after `read s` of consumer',
  'zoo/P4 1 P4': 'ok: mbarrier.wait barrier=@full parity=0 acquire=true scope="cta" before `read s`',
  'zoo/P5 1 P5': 'ok: fence.proxyAsync scope="global" after `write x`',
  'zoo/R1 1 R1':
    'ok: mbarrier.wait barrier=@full parity=0 acquire=true scope="cta" before `read s` of consumer',
  'zoo/R2 1 R2':
    'ok: mbarrier.wait barrier=@full[0] parity=0 acquire=true scope="cta" before `read s[0]` of consumer',
  'zoo/R3 1 R3': 'mend.not-found',
  'zoo/R3 2 B1': 'mend.not-found',
  'zoo/R3 3 B3': 'mend.not-found',
  'zoo/R3 4 B3': 'mend.no-edge',
  'zoo/W1 1 W1':
    'ok: mbarrier.wait barrier=@empty parity=0 acquire=true scope="cta" before `refill s` of producer',
  'zoo/W2 1 W2': 'ok: tcgen05.commit barrier=@empty ctaGroup=1 in place of `arrive empty` of consumer',
  'zoo/W3 1 W3': 'ok: wgmma.waitGroup pending=0 before `arrive empty` of consumer',
  'zoo/W4 1 W4': 'ok: bulk.waitGroup pending=0 read=true before `write again`',
  'zoo/W5 1 W5':
    'hazard: mbarrier.wait barrier=@full[0] parity=0 acquire=true scope="cta" before `load 1` of producer',
  'zoo/W5 2 W5':
    'hazard: mbarrier.wait barrier=@full[1] parity=0 acquire=true scope="cta" before `read 0` of consumer',
  'zoo/B1 1 B1':
    'ok: mbarrier.wait barrier=@seen parity=0 acquire=true scope="cta" before `arrive 2` of producer',
  'zoo/B2 1 B2': 'mend.not-found',
  'zoo/B3 1 D1': 'mend.not-found',
  'zoo/B3 2 B1':
    'hazard: mbarrier.init barrier=@order count=1 after `init full`; mbarrier.arrive barrier=@order count=1 release=true scope="cta" after `wait full` of consumer; mbarrier.wait barrier=@order parity=0 acquire=true scope="cta" before `arrive right` of right',
  'zoo/B3 3 B3':
    'deadlock: mbarrier.init barrier=@order count=1 after `init full`; mbarrier.arrive barrier=@order count=1 release=true scope="cta" after `arrive left` of left; mbarrier.wait barrier=@order parity=0 acquire=true scope="cta" before `arrive right` of right',
  'zoo/B4 1 B4':
    'ok: mbarrier.arriveExpectTx barrier=@full bytes=1024 release=true scope="cta" in place of `expect`',
  'zoo/B4-late 1 R3':
    'ok: mbarrier.wait barrier=@announced parity=0 acquire=true scope="cta" before `arrive full` of consumer',
  'zoo/B4-late 2 U2': 'mend.not-found',
  'zoo/B4-late 3 B4':
    'ok: mbarrier.wait barrier=@announced parity=0 acquire=true scope="cta" before `arrive full` of consumer',
  'zoo/B4-late 4 B3':
    'ok: mbarrier.init barrier=@order count=1 after `init announced`; mbarrier.arrive barrier=@order count=1 release=true scope="cta" after `expect` of producer; mbarrier.wait barrier=@order parity=0 acquire=true scope="cta" before `arrive full` of consumer',
  'zoo/B4-late 5 B3':
    'hazard: mbarrier.init barrier=@order count=1 after `init announced`; mbarrier.arrive barrier=@order count=1 release=true scope="cta" after `arrive full` of consumer; mbarrier.wait barrier=@order parity=0 acquire=true scope="cta" before `load s` of producer',
  'zoo/B5 1 B5': 'ok: mbarrier.arrive barrier=@pong count=1 release=true scope="cta" after `init pong`',
  'zoo/B6 1 B6': 'ok: mbarrier.arrive barrier=@empty count=1 release=true scope="cta" after `init empty`',
  'zoo/B6-early 1 B6':
    'deadlock: mbarrier.wait barrier=@full parity=0 acquire=true scope="cta" before `read s` of consumer',
  'zoo/B6-early 2 B6': 'ok: mbarrier.arrive barrier=@full count=1 release=true scope="cta" after `init full`',
  'zoo/B7 1 B7': 'mend.no-edge',
  'zoo/B7-gone 1 B7': 'mend.no-edge',
  'zoo/B8 1 B8': 'ok: mbarrier.wait barrier=@tick parity=0 acquire=true scope="cta" after `arrive 0`',
  'zoo/U1 1 U1': 'ok: mbarrier.wait barrier=@tick parity=0 acquire=true scope="cta" after `arrive tick`',
  'zoo/U1-reused 1 U1': 'ok: mbarrier.wait barrier=@tick parity=0 acquire=true scope="cta" before `give up`',
  'zoo/U2 1 U2': 'ok: bulk.waitGroup pending=0 read=true after `commit stores`, at the end',
  'zoo/M1 1 M1': 'ok: wgmma.waitGroup pending=0 before `read acc`',
  'zoo/M2 1 M2': 'ok: mbarrier.wait barrier=@done parity=0 acquire=true scope="cta" before `load acc`',
  'zoo/M3 1 M3': 'ok: tcgen05.waitLd before `store acc`',
  'zoo/M4 1 M4': 'ok: tcgen05.waitSt before `mma`',
  'zoo/M4 2 M4': 'ok: tcgen05.waitSt before `mma`',
  'zoo/M6 1 M6': 'mend.no-edge',
  'zoo/M7 1 M7': 'mend.no-edge',
  'zoo/M7 2 U2': 'mend.unknown',
  'zoo/M7 3 K1': 'mend.not-found',
  'zoo/M7 4 M7': 'mend.no-edge',
  'zoo/M7 5 M7': 'mend.no-edge',
  'zoo/M7 6 U2': 'mend.unknown',
  'zoo/M7 7 U2': 'mend.unknown',
  'zoo/M8 1 M8':
    'ok: tcgen05.fenceBefore before `arrive full` of first; tcgen05.fenceAfter before `load acc` of second',
  'zoo/T1 1 T1': 'ok: tcgen05.dealloc columns=64 ctaGroup=1 after `allocate`, at the end',
  'zoo/T2 1 T2': 'mend.unknown',
  'zoo/T3-full 1 T3': 'mend.unknown',
  'zoo/T4 1 T4': 'mend.no-edge',
  'zoo/T4 2 T4': 'mend.no-edge',
  'zoo/T5 1 T5': 'mend.no-edge',
  'zoo/K1 1 K1': 'ok: cluster.arrive relaxed=false after `rank 0`; cluster.wait after `rank 0`',
  'zoo/K4 1 K4': 'ok: cluster.arrive relaxed=false before `rank 0`; cluster.wait before `rank 0`',
  'zoo/K2 1 K2': 'ok: cluster.arrive relaxed=false when select(eq(ctaRank(0), 0), 0:i1, 1:i1) after `rank 0`',
  'zoo/K3 1 K3': 'mend.not-found',
  'zoo/K3 2 K3': 'mend.not-found',
  'zoo/B9 1 B9': 'ok: fence.mbarrierInit after `init b`',
  'zoo/D2-strict 1 D2': 'ok: cluster.arrive relaxed=false in place of `meet.arrive`',
  'zoo/A4-computed 1 A4': 'mend.unknown',
  'zoo/L1 1 L1': 'mend.no-edge',
  'zoo/I1 1 I1': 'mend.no-edge',
  'zoo/I2 1 I2': 'mend.no-edge',
  'zoo/V1 1 V1':
    'ok: mbarrier.wait barrier=@said parity=0 acquire=true scope="cta" before `read s` of consumer',
  'zoo/O1 1 O1': 'mend.no-edge',
  'foreign/two-cta-allocation 1 D4': 'mend.not-found',
  'foreign/two-cta-allocation 2 M7': 'mend.no-edge',
  'foreign/zero-tiles 1 D4':
    'ok: mbarrier.wait barrier=@ready parity=0 acquire=true scope="cta" before `clear acc` of epilogue',
  'foreign/never-allocated 1 I2': 'mend.no-edge',
  'foreign/statistics-without-wait 1 M4': 'ok: tcgen05.waitSt before `before_thread_sync` of softmax',
  'foreign/freed-under-load 1 M3': 'ok: tcgen05.waitLd before `arrive done` of reader',
  'foreign/early-release 1 W2':
    'ok: tcgen05.commit barrier=@empty[rem(k_1, 2)] ctaGroup=1 in place of `release` of mma',
  'foreign/one-cta-expects 1 B5': 'mend.not-found',
  'foreign/bytes-of-the-cluster 1 B4':
    'ok: mbarrier.arriveExpectTx barrier=@full bytes=1024 release=true scope="cta" in place of `expect`',
  'foreign/every-lane-arrives 1 B2': 'mend.not-found',
  'foreign/every-lane-arrives 2 B5':
    'hazard: mbarrier.arrive barrier=@full count=1 release=true scope="cta" after `init full`',
  'foreign/fence-before-store 1 P2': 'ok: fence.proxyAsync scope="cta" after `write s` (i)',
}
