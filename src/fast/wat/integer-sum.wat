;; Sums of products of 8-bit integers in 32 bits: pairs along k by one instruction, 16 columns and two rows side by side. An
;; instruction's 32 products do not leave 32 bits; the accumulator takes them in wrapping, or saturating.
;;
;;   a   i16 [m][k], m even      b   i16 [tiles][k / 2][16][2]      d   i32 [tiles][m][16], c when it begins
(module
  (memory (import "" "memory") 1)

  ;; values, f64 an element, as i16
  (func (export "packRows") (param $from i32) (param $count i32) (param $into i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $count) (i32.const 3))))
    (loop $each
      (i32.store16 (local.get $into) (i32.trunc_sat_f64_s (f64.load (local.get $from))))
      (local.set $into (i32.add (local.get $into) (i32.const 2)))
      (br_if $each (i32.lt_u (local.tee $from (i32.add (local.get $from) (i32.const 8))) (local.get $end)))))

  ;; a matrix of k x n values as [tiles][k / 2][16][2], zeros beyond the columns
  (func (export "packPairs") (param $from i32) (param $k i32) (param $n i32) (param $into i32)
    (local $t i32) (local $p i32) (local $s i32) (local $at i32) (local $row i32)
    (local.set $row (i32.shl (local.get $n) (i32.const 3)))
    (loop $tile
      (local.set $p (i32.const 0))
      (loop $pair
        (local.set $s (i32.const 0))
        (loop $lane
          (if (i32.lt_u (i32.add (local.get $t) (local.get $s)) (local.get $n))
            (then
              (local.set $at (i32.add (local.get $from) (i32.add
                (i32.mul (local.get $p) (local.get $row))
                (i32.shl (i32.add (local.get $t) (local.get $s)) (i32.const 3)))))
              (i32.store16 (local.get $into) (i32.trunc_sat_f64_s (f64.load (local.get $at))))
              (i32.store16 offset=2 (local.get $into)
                (i32.trunc_sat_f64_s (f64.load (i32.add (local.get $at) (local.get $row))))))
            (else (i32.store (local.get $into) (i32.const 0))))
          (local.set $into (i32.add (local.get $into) (i32.const 4)))
          (br_if $lane (i32.lt_u (local.tee $s (i32.add (local.get $s) (i32.const 1))) (i32.const 16))))
        (br_if $pair (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 2))) (local.get $k))))
      (br_if $tile (i32.lt_u (local.tee $t (i32.add (local.get $t) (i32.const 16))) (local.get $n)))))

  ;; a matrix of m x n values against [tiles][rows][16], in (`back` 0) or out
  (func (export "moveSums") (param $values i32) (param $m i32) (param $n i32) (param $rows i32) (param $panels i32) (param $back i32)
    (local $i i32) (local $j i32) (local $cell i32)
    (loop $row
      (local.set $j (i32.const 0))
      (loop $column
        (local.set $cell (i32.add (local.get $panels) (i32.shl
          (i32.add
            (i32.shl (i32.add (i32.mul (i32.shr_u (local.get $j) (i32.const 4)) (local.get $rows)) (local.get $i)) (i32.const 4))
            (i32.and (local.get $j) (i32.const 15)))
          (i32.const 2))))
        (if (local.get $back)
          (then (f64.store (local.get $values) (f64.convert_i32_s (i32.load (local.get $cell)))))
          (else (i32.store (local.get $cell) (i32.trunc_sat_f64_s (f64.load (local.get $values))))))
        (local.set $values (i32.add (local.get $values) (i32.const 8)))
        (br_if $column (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const 1))) (local.get $n))))
      (br_if $row (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $m)))))

  ;; four sums of an instruction into the accumulators at `at`; `saturate` is all ones or zeros
  (func $take (param $at i32) (param $sum v128) (param $saturate v128)
    (local $c v128) (local $d v128)
    (local.set $c (v128.load (local.get $at)))
    (local.set $d (i32x4.add (local.get $c) (local.get $sum)))
    (v128.store (local.get $at)
      (v128.bitselect
        (v128.xor (i32x4.shr_s (local.get $c) (i32.const 31)) (i32x4.splat (i32.const 0x7fffffff)))
        (local.get $d)
        ;; beyond 32 bits: both terms have a sign that the sum has not
        (v128.and (local.get $saturate)
          (i32x4.shr_s
            (v128.and (v128.xor (local.get $d) (local.get $c)) (v128.xor (local.get $d) (local.get $sum)))
            (i32.const 31))))))

  (func (export "integerSum")
    (param $m i32) (param $tiles i32) (param $k i32) (param $a i32) (param $b i32) (param $d i32) (param $saturate i32)
    (local $t i32) (local $i i32) (local $end i32) (local $last i32) (local $pa i32) (local $pc i32) (local $pb i32) (local $pd i32)
    (local $x v128) (local $y v128) (local $v v128) (local $all v128)
    (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local $r0 v128) (local $r1 v128) (local $r2 v128) (local $r3 v128)
    (local.set $all (i32x4.splat (i32.sub (i32.const 0) (local.get $saturate))))
    (loop $tile
      (local.set $i (i32.const 0))
      (loop $row
        (local.set $pd (i32.add (local.get $d)
          (i32.shl (i32.add (i32.mul (local.get $t) (local.get $m)) (local.get $i)) (i32.const 6))))
        (local.set $pa (i32.add (local.get $a) (i32.shl (i32.mul (local.get $i) (local.get $k)) (i32.const 1))))
        (local.set $pc (i32.add (local.get $pa) (i32.shl (local.get $k) (i32.const 1))))
        (local.set $last (local.get $pc))
        (local.set $pb (i32.add (local.get $b) (i32.shl (i32.mul (local.get $t) (local.get $k)) (i32.const 5))))
        (loop $block
          (local.set $end (i32.add (local.get $pa) (i32.const 64)))
          (local.set $s0 (v128.const i32x4 0 0 0 0))
          (local.set $s1 (local.get $s0)) (local.set $s2 (local.get $s0)) (local.set $s3 (local.get $s0))
          (local.set $r0 (local.get $s0)) (local.set $r1 (local.get $s0)) (local.set $r2 (local.get $s0)) (local.set $r3 (local.get $s0))
          (loop $products
            (local.set $x (v128.load32_splat (local.get $pa)))
            (local.set $y (v128.load32_splat (local.get $pc)))
            (local.set $v (v128.load (local.get $pb)))
            (local.set $s0 (i32x4.add (local.get $s0) (i32x4.dot_i16x8_s (local.get $x) (local.get $v))))
            (local.set $r0 (i32x4.add (local.get $r0) (i32x4.dot_i16x8_s (local.get $y) (local.get $v))))
            (local.set $v (v128.load offset=16 (local.get $pb)))
            (local.set $s1 (i32x4.add (local.get $s1) (i32x4.dot_i16x8_s (local.get $x) (local.get $v))))
            (local.set $r1 (i32x4.add (local.get $r1) (i32x4.dot_i16x8_s (local.get $y) (local.get $v))))
            (local.set $v (v128.load offset=32 (local.get $pb)))
            (local.set $s2 (i32x4.add (local.get $s2) (i32x4.dot_i16x8_s (local.get $x) (local.get $v))))
            (local.set $r2 (i32x4.add (local.get $r2) (i32x4.dot_i16x8_s (local.get $y) (local.get $v))))
            (local.set $v (v128.load offset=48 (local.get $pb)))
            (local.set $s3 (i32x4.add (local.get $s3) (i32x4.dot_i16x8_s (local.get $x) (local.get $v))))
            (local.set $r3 (i32x4.add (local.get $r3) (i32x4.dot_i16x8_s (local.get $y) (local.get $v))))
            (local.set $pb (i32.add (local.get $pb) (i32.const 64)))
            (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
            (br_if $products (i32.lt_u (local.tee $pa (i32.add (local.get $pa) (i32.const 4))) (local.get $end))))
          (call $take (local.get $pd) (local.get $s0) (local.get $all))
          (call $take (i32.add (local.get $pd) (i32.const 16)) (local.get $s1) (local.get $all))
          (call $take (i32.add (local.get $pd) (i32.const 32)) (local.get $s2) (local.get $all))
          (call $take (i32.add (local.get $pd) (i32.const 48)) (local.get $s3) (local.get $all))
          (call $take (i32.add (local.get $pd) (i32.const 64)) (local.get $r0) (local.get $all))
          (call $take (i32.add (local.get $pd) (i32.const 80)) (local.get $r1) (local.get $all))
          (call $take (i32.add (local.get $pd) (i32.const 96)) (local.get $r2) (local.get $all))
          (call $take (i32.add (local.get $pd) (i32.const 112)) (local.get $r3) (local.get $all))
          (br_if $block (i32.lt_u (local.get $pa) (local.get $last))))
        (br_if $row (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 2))) (local.get $m))))
      (br_if $tile (i32.lt_u (local.tee $t (i32.add (local.get $t) (i32.const 1))) (local.get $tiles))))))
