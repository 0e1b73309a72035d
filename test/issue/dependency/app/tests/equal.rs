#[test]
fn equal() {
    assert_eq!(app::on_device().unwrap(), app::on_host());
}
